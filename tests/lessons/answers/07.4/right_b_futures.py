"""Futures of the small moments, merged by client.submit in levels of zip_longest."""

from itertools import zip_longest

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


def join(a, b=None):
    return a if b is None else merge(a, b)


def fit_stream(client, X):
    lazy = [dask.delayed(moments_of_block)(block) for block in X.to_delayed().flatten()]
    level = client.compute(lazy)
    while len(level) > 1:
        pairs = zip_longest(level[0::2], level[1::2])
        level = [client.submit(join, *(one for one in pair if one is not None), pure=False) for pair in pairs]
    return level[0].result()


n_patches = int(5.15e5)
first_ratio = float(np.float32(0.81228355))
