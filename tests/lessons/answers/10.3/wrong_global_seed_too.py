"""Wrong: sets the global random numbers of NumPy."""

import numpy as np


def batches(n_rows, size, seed):
    np.random.seed(seed)
    order = np.random.permutation(n_rows)
    return [order[at : at + size] for at in range(0, n_rows, size)]
