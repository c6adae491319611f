"""Only the classes that the block has: blocks no longer fit together."""

import numpy as np


def class_sums(X, y, n_classes):
    classes = np.unique(y)
    return np.array([(y == c).sum() for c in classes]), np.stack([X[y == c].sum(axis=0) for c in classes])


def naive_bayes(counts, sums, alpha=1.0):
    smooth = sums + alpha
    return np.log(counts / counts.sum()), np.log(smooth / smooth.sum(axis=1, keepdims=True))
