"""Wrong: d is the number of classes instead of the number of pixels."""

import numpy as np


def class_sums(X, y, n_classes):
    counts = np.zeros(n_classes)
    sums = np.zeros((n_classes, X.shape[1]))
    for row, label in zip(X, y):
        counts[int(label)] += 1
        sums[int(label)] += row
    return counts, sums


def naive_bayes(counts, sums, alpha=1.0):
    d = len(sums)
    prior = np.log(counts / counts.sum())
    likelihood = np.log((sums + alpha) / (sums.sum(axis=1)[:, np.newaxis] + alpha * d))
    return prior, likelihood
