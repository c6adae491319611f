"""Wrong: one pass without centring first, in float32, so the digits are gone far from zero."""

import numpy as np


def block_moments(block):
    mean = block.mean(axis=0, dtype=float)
    return len(block), mean, (block.T @ block).astype(float) - len(block) * np.outer(mean, mean)


def merge(a, b):
    (n_a, m_a, M_a), (n_b, m_b, M_b) = a, b
    n = n_a + n_b
    delta = m_b - m_a
    return n, m_a + delta * n_b / n, M_a + M_b + np.outer(delta, delta) * n_a * n_b / n
