"""Right: order, running sums and two searches for all moments at once."""

import numpy as np


def airport_now(left, delay, asked, window=60.0):
    asked = np.asarray(asked, dtype=float)
    order = np.argsort(left)
    times = np.asarray(left, dtype=float)[order]
    sums = np.concatenate([[0.0], np.cumsum(np.asarray(delay, dtype=float)[order])])
    high = np.searchsorted(times, asked, side="right")
    low = np.searchsorted(times, asked - window, side="right")
    result = np.zeros(len(asked))
    np.divide(sums[high] - sums[low], high - low, out=result, where=high > low)
    return result
