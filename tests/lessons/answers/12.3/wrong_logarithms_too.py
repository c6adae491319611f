"""Fits a straight line to the logarithms of both."""

import numpy as np


def fit_link(sizes, seconds):
    n, t = np.log(np.asarray(sizes, float)), np.log(np.asarray(seconds, float))
    slope, start = np.polyfit(n, t, 1)
    return float(np.exp(start)), float(1 / np.exp(slope))


def half_size(alpha, beta):
    return alpha * beta
