"""Wrong: the seed is not used, so the same seed does not give the same order."""

import numpy as np


def vote(forests, X, n_classes):
    chances = np.zeros((len(X), n_classes))
    for forest in forests:
        chances[:, np.asarray(forest.classes_, dtype=int)] += forest.predict_proba(X)
    return chances.argmax(axis=1)


def deal(X, y, seed):
    order = np.random.default_rng().permutation(len(X))
    return X[order].rechunk(X.chunks), y[order].rechunk(y.chunks)
