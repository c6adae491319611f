"""Arrays of sizes."""

import numpy as np


def n_parameters(sizes):
    s = np.asarray(sizes, dtype=np.int64)
    return np.dot(s[:-1] + 1, s[1:])


def training_bytes(sizes, rows, copies=4, itemsize=4):
    return float(np.sum([copies * n_parameters(sizes), rows * np.sum(sizes)]) * itemsize)
