import numpy as np


def fit_link(sizes, seconds):
    sizes, seconds = np.asarray(sizes, float), np.asarray(seconds, float)
    slope, alpha = np.polyfit(sizes, seconds, 1, w=1 / seconds**2)
    return alpha, 1 / slope


def half_size(alpha, beta):
    return alpha * beta
