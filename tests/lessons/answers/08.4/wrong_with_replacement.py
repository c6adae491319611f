"""Rows are drawn with replacement: some twice, some never."""

import numpy as np


def vote(forests, X, n_classes):
    shares = np.zeros((len(X), n_classes))
    for forest in forests:
        shares[:, forest.classes_] += forest.predict_proba(X)
    return shares.argmax(axis=1)


def deal(X, y, seed):
    order = np.random.default_rng(seed).integers(0, len(X), len(X))
    return X[order].rechunk(X.chunks), y[order].rechunk(y.chunks)
