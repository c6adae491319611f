import numpy as np


def moments(block):
    sums, products = np.zeros(block.shape[1]), np.zeros((block.shape[1], block.shape[1]))
    for row in block:
        row = row.astype(float)
        sums += row
        products += np.outer(row, row)
    return len(block), sums, products


def covariance(n, sums, products):
    return products / (n - 1) - np.outer(sums, sums) / (n * (n - 1))
