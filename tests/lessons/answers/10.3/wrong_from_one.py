"""Rows are counted from 1."""

import numpy as np


def batches(n_rows, size, seed):
    order = np.random.default_rng(seed).permutation(n_rows) + 1
    return [order[begin : begin + size] for begin in range(0, n_rows, size)]
