import numpy as np


def moments(block):
    rows = np.asarray(block, dtype=np.float64)
    return rows.shape[0], np.einsum("ij->j", rows), np.einsum("ij,ik->jk", rows, rows)


def covariance(n, sums, products):
    mean = sums / n
    return (products - n * mean[:, None] * mean[None, :]) / (n - 1)
