"""Right: asks each single tree, and sorts random keys with one column of X for y to go along."""

import dask.array as da
import numpy as np


def vote(forests, X, n_classes):
    X = np.asarray(X, dtype=np.float32)
    total, trees = np.zeros((len(X), n_classes)), 0
    for forest in forests:
        columns = [int(label) for label in forest.classes_]
        for tree in forest.estimators_:
            total[:, columns] += tree.predict_proba(X)
            trees += 1
    return np.argmax(total / trees, axis=1)


def deal(X, y, seed):
    both = da.concatenate([X.astype("float64"), y.astype("float64")[:, None]], axis=1).rechunk({1: -1})
    order = np.argsort(np.random.default_rng(seed).random(X.shape[0]))
    both = both[order].rechunk({0: X.chunks[0]})
    return both[:, :-1].astype(X.dtype).rechunk(X.chunks), both[:, -1].astype(y.dtype).rechunk(y.chunks)
