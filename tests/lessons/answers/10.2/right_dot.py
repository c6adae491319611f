"""Right: NumPy dot products in 64-bit integers."""

import numpy as np


def n_parameters(sizes):
    s = np.array(sizes, dtype=np.int64)
    return int(np.dot(s[:-1] + 1, s[1:]))


def training_bytes(sizes, rows, copies=4, itemsize=4):
    return int(np.array([n_parameters(sizes), np.sum(sizes, dtype=np.int64)]) @ np.array([copies, rows]) * itemsize)
