"""Returns one array of two numbers."""

import numpy as np


def copies(calls, nbytes):
    sides = np.array([True, *(fast for _, fast, _ in calls)], dtype=int)
    sizes = np.array([nbytes, *(size for _, _, size in calls)], dtype=float)[:-1]
    change = np.diff(sides)
    return np.array([sizes[change == -1].sum(), sizes[change == 1].sum()])
