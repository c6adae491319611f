"""Wrong: first_ratio is given in percent, but a share is asked."""

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


def fit_stream(client, X):
    tasks = [dask.delayed(lambda block: as_numpy(block_moments(block)))(block) for block in X.to_delayed().ravel()]
    while len(tasks) > 1:
        pairs = [dask.delayed(merge)(a, b) for a, b in zip(tasks[::2], tasks[1::2])]
        tasks = pairs + tasks[2 * len(pairs) :]
    return client.compute(tasks[0]).result()


n_patches = 515_000
first_ratio = 81.228
