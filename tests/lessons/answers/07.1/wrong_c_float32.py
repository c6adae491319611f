"""Wrong: multiplies in float32 and only then takes float64."""

import numpy as np


def moments(block):
    return len(block), block.sum(axis=0).astype(float), (block.T @ block).astype(float)


def covariance(n, sums, products):
    return (products - np.outer(sums, sums) / n) / (n - 1)
