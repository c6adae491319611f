"""Right: sizes by counting the row numbers modulo the number of workers."""

import numpy as np


def one_per_worker(X, n_workers):
    sizes = np.bincount(np.arange(X.shape[0]) % n_workers, minlength=n_workers)
    return X.rechunk({0: tuple(sizes.tolist()), 1: -1})
