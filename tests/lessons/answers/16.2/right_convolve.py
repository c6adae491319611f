"""Right: NumPy convolution of all distributions."""

from functools import reduce

import numpy as np


def luck(chances, right):
    if right <= 0:
        return 1.0
    spread = reduce(np.convolve, [np.array([1 - p, p], dtype=float) for p in chances], np.array([1.0]))
    return float(spread[right:].sum())


def pass_mark(chances, risk):
    for right in range(len(chances) + 1):
        if luck(chances, right) <= risk:
            return right
    return len(chances) + 1
