"""Minimises the absolute errors: no weights."""

import numpy as np


def fit_link(sizes, seconds):
    slope, alpha = np.polyfit(sizes, seconds, 1)
    return alpha, 1 / slope


def half_size(alpha, beta):
    return alpha * beta
