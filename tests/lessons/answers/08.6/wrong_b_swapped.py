"""Wrong: delayed=True is the eager one and delayed=False the lazy one."""

import math


def predict_rows(model, X, delayed=True):
    labels = model.predict(X)
    return labels.persist() if delayed else labels


def collect(array, limit):
    if math.isnan(array.nbytes):
        array.compute_chunk_sizes()
    if array.nbytes > limit:
        raise MemoryError(f"{array.nbytes:,} bytes, and only {limit:,} are allowed")
    return array.compute()
