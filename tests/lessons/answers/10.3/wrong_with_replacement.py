"""Rows are drawn, some of them twice."""

import numpy as np


def batches(n_rows, size, seed):
    order = np.random.default_rng(seed).integers(0, n_rows, n_rows)
    return [order[begin : begin + size] for begin in range(0, n_rows, size)]
