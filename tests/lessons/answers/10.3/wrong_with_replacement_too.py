"""Wrong: draws rows with replacement, so that some come twice and some never."""

import numpy as np


def batches(n_rows, size, seed):
    order = np.random.default_rng(seed).integers(0, n_rows, n_rows)
    return [order[at : at + size] for at in range(0, n_rows, size)]
