"""Wrong: compares the number of entries with the limit, which is in bytes."""

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
    if math.isnan(array.size):
        array.compute_chunk_sizes()
    if array.size > limit:
        raise MemoryError(f"{array.size} entries")
    return array.compute()
