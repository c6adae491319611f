"""Wrong: a block gives the mean ink of a class instead of the sum, and means do not add up."""

import numpy as np


def class_sums(X, y, n_classes):
    counts = np.array([(y == c).sum() for c in range(n_classes)])
    sums = np.array([X[y == c].sum(axis=0) / max(1, counts[c]) for c in range(n_classes)])
    return counts, sums


def naive_bayes(counts, sums, alpha=1.0):
    prior = np.log(counts / counts.sum())
    ink = sums.sum(axis=1, keepdims=True)
    likelihood = np.log((sums + alpha) / (ink + alpha * sums.shape[1]))
    return prior, likelihood
