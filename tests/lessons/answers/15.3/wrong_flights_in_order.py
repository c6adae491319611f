import numpy as np


def airport_now(left, delay, asked, window=60.0):
    sums = np.append(0, np.cumsum(delay))
    a, b = np.searchsorted(left, asked - window, "right"), np.searchsorted(left, asked, "right")
    return np.where(b > a, (sums[b] - sums[a]) / np.maximum(b - a, 1), 0.0)
