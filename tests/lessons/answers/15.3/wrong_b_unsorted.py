"""Wrong: searches in times that it never sorts, although flights come in any order."""

import numpy as np


def airport_now(left, delay, asked, window=60.0):
    sums = np.concatenate([[0.0], np.cumsum(delay)])
    high = np.searchsorted(left, asked, side="right")
    low = np.searchsorted(left, np.asarray(asked) - window, side="right")
    return np.where(high > low, (sums[high] - sums[low]) / np.maximum(high - low, 1), 0.0)
