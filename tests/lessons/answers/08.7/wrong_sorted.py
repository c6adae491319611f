"""Sorted labels."""

import numpy as np


def row_labels(model, X):
    return np.sort(model.predict(X).compute())


def share_wrong(labels, model, X):
    return float((model.predict(X).compute() != labels).mean())
