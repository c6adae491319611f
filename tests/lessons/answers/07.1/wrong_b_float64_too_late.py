"""Wrong: the products become float64 only after they have been added up in float32."""

import numpy as np


def moments(block):
    return len(block), block.sum(axis=0).astype(float), (block.T @ block).astype(float)


def covariance(n, sums, products):
    return (products - np.outer(sums, sums) / n) / (n - 1)
