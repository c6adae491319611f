"""The shuffle of Dask arrays, and means instead of sums."""

import dask.array as da
import numpy as np


def vote(forests, X, n_classes):
    columns = []
    for label in range(n_classes):
        known = [f.predict_proba(X)[:, list(f.classes_).index(label)] for f in forests if label in f.classes_]
        columns.append(sum(known, np.zeros(len(X))) / len(forests))
    return np.array(columns).argmax(axis=0)


def deal(X, y, seed):
    rng = np.random.default_rng(seed)
    order = rng.permutation(len(X))
    parts = np.array_split(order, X.numblocks[0])
    return da.concatenate([X[p].rechunk(-1) for p in parts]), da.concatenate([y[p].rechunk(-1) for p in parts])
