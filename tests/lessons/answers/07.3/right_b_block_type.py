"""The mean is float64, the centred rows stay in the type of the block."""

import numpy as np


def block_moments(block):
    mean = block.mean(axis=0, dtype=np.float64)
    centred = (block - mean).astype(block.dtype if block.dtype.kind == "f" else float)
    rest = centred.mean(axis=0, dtype=np.float64)
    M = (centred.T @ centred).astype(np.float64) - len(block) * np.outer(rest, rest)
    return block.shape[0], mean, M


def merge(a, b):
    (n_a, m_a, M_a), (n_b, m_b, M_b) = a, b
    n = n_a + n_b
    delta = m_b - m_a
    return n, m_a + delta * n_b / n, M_a + M_b + np.outer(delta, delta) * n_a * n_b / n
