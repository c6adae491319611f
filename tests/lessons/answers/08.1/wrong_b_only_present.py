"""Wrong: gives only the classes that the block has, although a block may have no row of some class."""

import numpy as np


def class_sums(X, y, n_classes):
    present, counts = np.unique(y, return_counts=True)
    sums = np.array([X[y == c].sum(axis=0) for c in present])
    return counts, sums


def naive_bayes(counts, sums, alpha=1.0):
    prior = np.log(counts / counts.sum())
    ink = sums.sum(axis=1, keepdims=True)
    likelihood = np.log((sums + alpha) / (ink + alpha * sums.shape[1]))
    return prior, likelihood
