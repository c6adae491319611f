"""In order."""

import numpy as np


def batches(n_rows, size, seed):
    order = np.arange(n_rows)
    return [order[begin : begin + size] for begin in range(0, n_rows, size)]
