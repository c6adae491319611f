"""einsum for the products and for the outer product of the sums."""

import numpy as np


def moments(block):
    rows = np.asarray(block, dtype="f8")
    return rows.shape[0], np.einsum("ij->j", rows), np.einsum("ij,ik->jk", rows, rows, optimize=True)


def covariance(n, sums, products):
    return products / (n - 1) - np.einsum("i,j->ij", sums, sums) / (n * (n - 1))
