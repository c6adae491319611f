"""Wrong: the prior is the same for each class, not its share of the rows."""

import numpy as np


def class_sums(X, y, n_classes):
    member = (np.arange(n_classes)[:, None] == np.asarray(y)[None, :]).astype(np.float64)
    return member.sum(axis=1), member @ np.asarray(X, dtype=np.float64)


def naive_bayes(counts, sums, alpha=1.0):
    prior = np.full(len(counts), -np.log(len(counts)))
    likelihood = np.log((sums + alpha) / (sums.sum(axis=1, keepdims=True) + alpha * sums.shape[1]))
    return prior, likelihood
