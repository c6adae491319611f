"""Loops over pairs of columns; the matrix is filled on both sides of its diagonal."""

import numpy as np


def moments(block):
    columns = [np.asarray(column, dtype=np.float64) for column in block.T]
    d = len(columns)
    products = np.zeros((d, d))
    for j in range(d):
        for i in range(j, d):
            products[j, i] = products[i, j] = columns[j].dot(columns[i])
    return block.shape[0], np.array([column.sum() for column in columns]), products


def covariance(n, sums, products):
    d = len(sums)
    C = np.empty((d, d))
    for j in range(d):
        for i in range(d):
            C[j, i] = (products[j, i] - sums[j] * sums[i] / n) / (n - 1)
    return C
