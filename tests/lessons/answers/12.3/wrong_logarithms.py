import numpy as np


def fit_link(sizes, seconds):
    slope, start = np.polyfit(np.log(sizes), np.log(seconds), 1)
    return float(np.exp(start)), float(np.exp(-slope)) * 1e9


def half_size(alpha, beta):
    return alpha * beta
