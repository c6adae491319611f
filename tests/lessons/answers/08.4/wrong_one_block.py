"""All rows in one block: nothing is distributed any more."""

import numpy as np


def vote(forests, X, n_classes):
    shares = np.zeros((len(X), n_classes))
    for forest in forests:
        shares[:, forest.classes_] += forest.predict_proba(X)
    return shares.argmax(axis=1)


def deal(X, y, seed):
    order = np.random.default_rng(seed).permutation(len(X))
    return X[order].rechunk(-1), y[order].rechunk(-1)
