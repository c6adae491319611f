"""Wrong: returns the means of the columns where the sums are asked."""

import numpy as np


def moments(block):
    wide = block.astype(float)
    return len(wide), wide.mean(axis=0), wide.T @ wide


def covariance(n, sums, products):
    return (products - np.outer(sums, sums) / n) / (n - 1)
