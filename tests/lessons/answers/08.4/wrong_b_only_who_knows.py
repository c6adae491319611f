"""Wrong: averages a class only over forests that have seen it, not over all trees."""

import numpy as np


def vote(forests, X, n_classes):
    chances = np.full((len(forests), len(X), n_classes), np.nan)
    for number, forest in enumerate(forests):
        chances[number][:, forest.classes_.astype(int)] = forest.predict_proba(X)
    return np.nan_to_num(np.nanmean(chances, axis=0)).argmax(axis=1)


def deal(X, y, seed):
    order = np.random.default_rng(seed).permutation(len(X))
    return X[order].rechunk(X.chunks), y[order].rechunk(y.chunks)
