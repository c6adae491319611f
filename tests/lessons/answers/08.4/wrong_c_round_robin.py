"""Wrong: the rows are dealt one after the other, as cards are; the seed only says who comes first."""

import numpy as np


def vote(forests, X, n_classes):
    chances = np.zeros((len(X), n_classes))
    for forest in forests:
        chances[:, np.asarray(forest.classes_, dtype=int)] += forest.predict_proba(X)
    return chances.argmax(axis=1)


def deal(X, y, seed):
    hands = X.numblocks[0]
    order = np.concatenate([np.arange(len(X))[hand::hands] for hand in np.roll(np.arange(hands), seed)])
    size = -(-len(X) // hands)
    return X[order].rechunk((size, -1)), y[order].rechunk(size)
