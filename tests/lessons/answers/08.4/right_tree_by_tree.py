"""Tree by tree, and a round robin of rows."""

import numpy as np


def vote(forests, X, n_classes):
    shares = np.zeros((len(X), n_classes))
    for forest in forests:
        for tree in forest.estimators_:
            for column, label in enumerate(forest.classes_):
                shares[:, int(label)] += tree.predict_proba(X)[:, column]
    return [int(np.argmax(row)) for row in shares]


def deal(X, y, seed):
    blocks = X.numblocks[0]
    order = np.concatenate([np.arange(start, len(X), blocks) for start in range(blocks)])
    return X[order].rechunk(X.chunks), y[order].rechunk(y.chunks)
