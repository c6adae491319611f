"""np.cov times n gives the products, and an extra row of the stack gives the term with delta."""

import numpy as np


def block_moments(block):
    wide = np.array(block, dtype=float)
    M = np.atleast_2d(np.cov(wide, rowvar=False, bias=True)) * len(wide)
    return len(wide), np.mean(wide, axis=0), M


def merge(a, b):
    weights = [a[0], b[0]]
    means = np.stack([a[1], b[1]])
    mean = np.average(means, axis=0, weights=weights)
    away = (means - mean) * np.sqrt(weights)[:, None]
    return sum(weights), mean, sum([a[2], b[2], away.T @ away])
