import numpy as np


def moments(block):
    rows = block.astype(float)
    return len(rows), rows.mean(axis=0), rows.T @ rows


def covariance(n, sums, products):
    return (products - n * np.outer(sums, sums)) / (n - 1)
