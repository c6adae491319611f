"""Wrong: adds alpha to all ink of a class, not alpha times the number of pixels."""

import numpy as np


def class_sums(X, y, n_classes):
    member = (np.arange(n_classes)[:, None] == np.asarray(y)[None, :]).astype(np.float64)
    return member.sum(axis=1), member @ np.asarray(X, dtype=np.float64)


def naive_bayes(counts, sums, alpha=1.0):
    prior = np.log(counts / counts.sum())
    likelihood = np.log((sums + alpha) / (sums.sum(axis=1, keepdims=True) + alpha))
    return prior, likelihood
