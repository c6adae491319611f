"""Right: bincount with weights, one pixel at a time, and differences of logarithms."""

import numpy as np


def class_sums(X, y, n_classes):
    labels = np.asarray(y).astype(np.intp)
    counts = np.bincount(labels, minlength=n_classes)
    sums = np.stack([np.bincount(labels, weights=pixel, minlength=n_classes) for pixel in np.asarray(X).T], axis=1)
    return counts, sums


def naive_bayes(counts, sums, alpha=1.0):
    prior = np.log(counts) - np.log(np.sum(counts))
    smoothed = np.asarray(sums, dtype=np.float64) + alpha
    return prior, np.log(smoothed) - np.log(smoothed.sum(axis=1))[:, None]
