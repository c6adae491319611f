"""Only the first forest is asked."""

import numpy as np


def vote(forests, X, n_classes):
    return forests[0].predict(X)


def deal(X, y, seed):
    order = np.random.default_rng(seed).permutation(len(X))
    return X[order].rechunk(X.chunks), y[order].rechunk(y.chunks)
