"""Means do not add up."""

import numpy as np


def class_sums(X, y, n_classes):
    counts = np.bincount(y, minlength=n_classes)
    sums = np.stack([X[y == c].sum(axis=0) for c in range(n_classes)])
    return counts, sums / np.maximum(counts, 1)[:, None]


def naive_bayes(counts, sums, alpha=1.0):
    smooth = sums + alpha
    return np.log(counts / counts.sum()), np.log(smooth / smooth.sum(axis=1, keepdims=True))
