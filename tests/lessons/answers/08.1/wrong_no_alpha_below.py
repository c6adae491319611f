"""Alpha is added above the line, but not below it."""

import numpy as np


def class_sums(X, y, n_classes):
    return np.bincount(y, minlength=n_classes), np.stack([X[y == c].sum(axis=0) for c in range(n_classes)])


def naive_bayes(counts, sums, alpha=1.0):
    return np.log(counts / counts.sum()), np.log((sums + alpha) / sums.sum(axis=1, keepdims=True))
