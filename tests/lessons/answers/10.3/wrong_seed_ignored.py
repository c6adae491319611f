"""The seed changes nothing."""

import numpy as np


def batches(n_rows, size, seed):
    order = np.random.default_rng(0).permutation(n_rows)
    return [order[begin : begin + size] for begin in range(0, n_rows, size)]
