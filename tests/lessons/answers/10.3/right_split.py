"""Cut by np.split, from an old generator of its own."""

import numpy as np


def batches(n_rows, size, seed):
    order = np.random.RandomState(seed).permutation(n_rows)
    return tuple(np.split(order, np.arange(size, n_rows, size)))
