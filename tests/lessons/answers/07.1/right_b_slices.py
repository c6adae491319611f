"""A generator of slices of 1000 rows, so that no float64 copy of the whole block is made."""

import numpy as np


def moments(block):
    def slices():
        for first in range(0, len(block), 1000):
            yield block[first : first + 1000].astype(np.float64)

    d = block.shape[1]
    n, sums, products = 0, np.zeros(d), np.zeros((d, d))
    for rows in slices():
        n += len(rows)
        sums += np.ones(len(rows)) @ rows
        products += np.dot(rows.T, rows)
    return n, sums, products


def covariance(n, sums, products):
    mean = np.asarray(sums) / n
    return (np.asarray(products) - n * mean[:, None] * mean[None, :]) / (n - 1)
