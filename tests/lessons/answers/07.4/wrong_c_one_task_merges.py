"""Wrong: one task merges the results of all blocks, one after the other."""

from functools import reduce

import dask
import numpy as np
from gpucluster.lessons import as_numpy


def block_moments(block):
    mean = block.mean(axis=0, dtype=float)
    centred = block.astype(float) - mean
    return len(block), mean, centred.T @ centred


def merge(a, b):
    (n_a, m_a, M_a), (n_b, m_b, M_b) = a, b
    n = n_a + n_b
    delta = m_b - m_a
    return n, m_a + delta * n_b / n, M_a + M_b + np.outer(delta, delta) * n_a * n_b / n


def moments_of_block(block):
    return as_numpy(block_moments(block))


def fit_stream(client, X):
    blocks = list(X.to_delayed().ravel())

    def merge_all(found):
        return reduce(merge, found)

    return client.compute(dask.delayed(merge_all)([dask.delayed(moments_of_block)(block) for block in blocks])).result()


n_patches = np.int64(515000)
first_ratio = 0.8122835
