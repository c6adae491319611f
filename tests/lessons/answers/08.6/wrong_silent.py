"""Returns an empty array instead of an error."""

import numpy as np


def predict_rows(model, X, delayed=True):
    labels = model.predict(X)
    return labels if delayed else labels.persist()


def collect(array, limit):
    if not array.nbytes <= limit:
        return np.empty(0)
    return array.compute()
