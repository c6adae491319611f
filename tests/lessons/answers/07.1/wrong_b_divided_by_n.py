"""Wrong: divides by n, but 'divided by n - 1' is asked."""

import numpy as np


def moments(block):
    wide = block.astype(float)
    return len(wide), wide.sum(axis=0), wide.T @ wide


def covariance(n, sums, products):
    return (products - np.outer(sums, sums) / n) / n
