"""Wrong: with delayed=False the labels come as a NumPy array, not as a Dask array."""

import math


def predict_rows(model, X, delayed=True):
    labels = model.predict(X)
    return labels if delayed else labels.compute()


def collect(array, limit):
    if math.isnan(array.nbytes):
        array.compute_chunk_sizes()
    if array.nbytes > limit:
        raise MemoryError(f"{array.nbytes:,} bytes, and only {limit:,} are allowed")
    return array.compute()
