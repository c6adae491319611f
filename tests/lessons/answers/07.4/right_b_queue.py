"""A queue: the two oldest tasks are merged, and the result goes to its end."""

from collections import deque

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


@dask.delayed
def small(block):
    return as_numpy(block_moments(block))


def fit_stream(client, X):
    queue = deque(small(X.blocks[i]) for i in range(X.numblocks[0]))
    join = dask.delayed(merge)
    while len(queue) > 1:
        queue.append(join(queue.popleft(), queue.popleft()))
    [result] = client.gather(client.compute([queue.pop()]))
    return result


n_patches = 515_000
first_ratio = 0.81228
