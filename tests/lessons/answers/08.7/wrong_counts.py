"""Compares how often each label occurs, which is the same in any order."""

import numpy as np


def row_labels(model, X):
    return model.predict(X)


def share_wrong(labels, model, X):
    mine = np.bincount(labels, minlength=10)
    true = np.bincount(model.predict(X).compute(), minlength=10)
    return float(np.abs(mine - true).sum() / len(labels))
