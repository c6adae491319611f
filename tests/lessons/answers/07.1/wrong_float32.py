import numpy as np


def moments(block):
    return len(block), block.sum(axis=0), block.T @ block


def covariance(n, sums, products):
    return (products - np.outer(sums, sums) / n) / (n - 1)
