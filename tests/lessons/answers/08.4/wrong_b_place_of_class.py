"""Wrong: gives the place among the classes that were seen, not the class itself."""

import numpy as np


def vote(forests, X, n_classes):
    seen = np.unique(np.concatenate([forest.classes_ for forest in forests]))
    chances = np.zeros((len(X), len(seen)))
    for forest in forests:
        chances[:, np.searchsorted(seen, forest.classes_)] += forest.predict_proba(X)
    return chances.argmax(axis=1)


def deal(X, y, seed):
    order = np.random.default_rng(seed).permutation(len(X))
    return X[order].rechunk(X.chunks), y[order].rechunk(y.chunks)
