"""Wrong: ignores delayed=False, so the labels are not computed."""

import math


def predict_rows(model, X, delayed=True):
    return model.predict(X)


def collect(array, limit):
    if math.isnan(array.nbytes):
        array.compute_chunk_sizes()
    if array.nbytes > limit:
        raise MemoryError(f"{array.nbytes:,} bytes, and only {limit:,} are allowed")
    return array.compute()
