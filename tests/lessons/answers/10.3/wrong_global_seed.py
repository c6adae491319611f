"""Seeds the random numbers of the whole process."""

import numpy as np


def batches(n_rows, size, seed):
    np.random.seed(seed)
    order = np.random.permutation(n_rows)
    return [order[begin : begin + size] for begin in range(0, n_rows, size)]
