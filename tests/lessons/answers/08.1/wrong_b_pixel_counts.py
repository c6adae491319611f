"""Wrong: counts the rows with ink in a pixel instead of adding up the ink."""

import numpy as np


def class_sums(X, y, n_classes):
    counts = np.array([(y == c).sum() for c in range(n_classes)])
    sums = np.array([(X[y == c] > 0).sum(axis=0) for c in range(n_classes)])
    return counts, sums


def naive_bayes(counts, sums, alpha=1.0):
    prior = np.log(counts / counts.sum())
    ink = sums.sum(axis=1, keepdims=True)
    likelihood = np.log((sums + alpha) / (ink + alpha * sums.shape[1]))
    return prior, likelihood
