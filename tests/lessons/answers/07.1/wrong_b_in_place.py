"""Wrong: subtracts in the products that were given, but a function leaves what it is given as it was."""

import numpy as np


def moments(block):
    wide = block.astype(float)
    return len(wide), wide.sum(axis=0), wide.T @ wide


def covariance(n, sums, products):
    products -= np.outer(sums, sums) / n
    products /= n - 1
    return products
