"""The adjusted Rand index by hand, from a table of how many points two groups share."""

import numpy as np
from gpucluster.learn import KMeans


def fit_library(X, start):
    return KMeans(n_clusters=len(start), init=start, n_init=1).fit(X)


def nearest(points, centroids):
    best, labels = np.full(len(points), np.inf), np.zeros(len(points), dtype=int)
    for j, c in enumerate(centroids):
        squared = ((points - c) ** 2).sum(axis=1)
        labels[squared < best] = j
        best = np.minimum(best, squared)
    return labels, best.sum()


def agreement(points, mine, library):
    (a, first), (b, second) = nearest(points, mine), nearest(points, library)
    table = np.zeros((len(mine), len(library)))
    np.add.at(table, (a, b), 1)

    def pairs(counts):
        return float((counts * (counts - 1) / 2).sum())

    both, rows, columns = pairs(table), pairs(table.sum(axis=1)), pairs(table.sum(axis=0))
    expected = rows * columns / pairs(table.sum())
    largest = (rows + columns) / 2
    ari = 1.0 if largest == expected else (both - expected) / (largest - expected)
    return float((first - second) / second), ari
