"""Recursion over the blocks gives the tree, computed in one go."""

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

    def tree(low, high):
        if high - low == 1:
            return dask.delayed(moments_of_block)(blocks[low])
        middle = (low + high) // 2
        return dask.delayed(merge)(tree(low, middle), tree(middle, high))

    return client.gather(client.compute(tree(0, len(blocks))))


n_patches = np.int64(515000)
first_ratio = 0.8122835
