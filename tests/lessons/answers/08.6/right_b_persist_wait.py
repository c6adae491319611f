"""Right: persist and wait; chunk sizes are computed where they are not known."""

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
        array.compute_chunk_sizes()
    if array.nbytes > limit:
        raise MemoryError(f"{array.nbytes:,} bytes, and only {limit:,} are allowed")
    return array.compute()
