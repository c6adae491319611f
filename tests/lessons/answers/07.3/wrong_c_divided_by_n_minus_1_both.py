"""Wrong: covariances instead of products, merged as covariances; a block of one row gives NaN."""

import numpy as np


def block_moments(block):
    mean = block.mean(axis=0, dtype=float)
    centred = block.astype(float) - mean
    return len(block), mean, centred.T @ centred / (len(block) - 1)


def merge(a, b):
    (n_a, m_a, C_a), (n_b, m_b, C_b) = a, b
    n = n_a + n_b
    delta = m_b - m_a
    products = (n_a - 1) * C_a + (n_b - 1) * C_b + np.outer(delta, delta) * n_a * n_b / n
    return n, m_a + delta * n_b / n, products / (n - 1)
