"""Wrong: refuses an array of exactly limit bytes, which has at most limit bytes."""

import math

from distributed import wait


def predict_rows(model, X, delayed=True):
    labels = model.predict(X)
    if delayed:
        return labels
    labels = labels.persist()
    wait(labels)
    return labels


def collect(array, limit):
    if math.isnan(array.nbytes):
        array = array.compute_chunk_sizes()
    if array.nbytes >= limit:
        raise MemoryError(f"{array.nbytes} bytes")
    return array.compute()
