"""The batches overlap by one row."""

import numpy as np


def batches(n_rows, size, seed):
    order = np.random.default_rng(seed).permutation(n_rows)
    return [order[begin : begin + size + 1] for begin in range(0, n_rows, size)]
