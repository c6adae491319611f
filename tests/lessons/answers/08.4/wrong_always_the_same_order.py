"""Every fourth row to each block: no chance, and no seed."""

import numpy as np


def vote(forests, X, n_classes):
    shares = np.zeros((len(X), n_classes))
    for forest in forests:
        shares[:, forest.classes_] += forest.predict_proba(X)
    return shares.argmax(axis=1)


def deal(X, y, seed):
    order = np.concatenate([np.arange(len(X))[start::4] for start in range(4)])
    return X[order].rechunk(X.chunks), y[order].rechunk(y.chunks)
