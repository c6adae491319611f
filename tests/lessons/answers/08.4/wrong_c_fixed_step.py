"""Wrong: a large step through the rows looks like chance, but it is always the same."""

import numpy as np


def vote(forests, X, n_classes):
    chances = np.zeros((len(X), n_classes))
    for forest in forests:
        chances[:, np.asarray(forest.classes_, dtype=int)] += forest.predict_proba(X)
    return chances.argmax(axis=1)


def deal(X, y, seed):
    order = (np.arange(len(X)) * 7919 + seed) % len(X)
    return X[order].rechunk(X.chunks), y[order].rechunk(y.chunks)
