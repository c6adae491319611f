"""The rows are computed, the labels are not."""

import numpy as np


def predict_rows(model, X, delayed=True):
    return model.predict(X if delayed else X.persist())


def collect(array, limit):
    if np.isnan(array.nbytes):
        array = array.copy().compute_chunk_sizes()
    if array.nbytes > limit:
        raise MemoryError("too large")
    return array.compute()
