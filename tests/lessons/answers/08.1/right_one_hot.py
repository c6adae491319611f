"""A product with a matrix of zeros and ones."""

import numpy as np


def class_sums(X, y, n_classes):
    member = (y[:, None] == np.arange(n_classes)).astype(float)
    return member.sum(axis=0), member.T @ X


def naive_bayes(counts, sums, alpha=1.0):
    smooth = np.log(sums + alpha)
    return np.log(counts) - np.log(np.sum(counts)), smooth - np.log(np.exp(smooth).sum(axis=1))[:, None]
