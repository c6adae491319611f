"""Wrong: one random order for all seeds; the seed only moves it on."""

import numpy as np


def vote(forests, X, n_classes):
    chances = np.zeros((len(X), n_classes))
    for forest in forests:
        chances[:, np.asarray(forest.classes_, dtype=int)] += forest.predict_proba(X)
    return chances.argmax(axis=1)


def deal(X, y, seed):
    order = np.roll(np.random.default_rng(0).permutation(len(X)), seed)
    return X[order].rechunk(X.chunks), y[order].rechunk(y.chunks)
