"""Wrong: n is the number of all numbers, but the number of rows is asked."""

import numpy as np


def moments(block):
    wide = block.astype(float)
    return wide.size, wide.sum(axis=0), wide.T @ wide


def covariance(n, sums, products):
    return (products - np.outer(sums, sums) / n) / (n - 1)
