"""Wrong: a tree of delayed merges, but it is computed by threads of the notebook, not by the workers."""

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
    level = [dask.delayed(moments_of_block)(block) for block in X.to_delayed().ravel()]
    while len(level) > 1:
        pairs = [level[i : i + 2] for i in range(0, len(level), 2)]
        level = [dask.delayed(merge)(*pair) if len(pair) == 2 else pair[0] for pair in pairs]
    return level[0].compute(scheduler="threads")


n_patches = np.int64(515000)
first_ratio = 0.8122835
