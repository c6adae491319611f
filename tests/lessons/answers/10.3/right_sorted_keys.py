"""The order in which random keys are sorted."""

import numpy as np


def batches(n_rows, size, seed):
    keys = np.random.Generator(np.random.PCG64(seed)).random(n_rows)
    order = np.argsort(keys).tolist()
    return [order[size * number : size * (number + 1)] for number in range(-(-n_rows // size))]
