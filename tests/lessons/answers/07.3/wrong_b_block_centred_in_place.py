"""Wrong: subtracts the mean in the block that was given, which it is to leave as it was."""

import numpy as np


def block_moments(block):
    mean = block.mean(axis=0, dtype=float)
    block -= mean.astype(block.dtype)
    wide = block.astype(float)
    return len(block), mean, wide.T @ wide


def merge(a, b):
    (n_a, m_a, M_a), (n_b, m_b, M_b) = a, b
    n = n_a + n_b
    delta = m_b - m_a
    return n, m_a + delta * n_b / n, M_a + M_b + np.outer(delta, delta) * n_a * n_b / n
