"""Wrong: collects first and counts then, so it raises after everything has travelled."""

from distributed import wait


def predict_rows(model, X, delayed=True):
    labels = model.predict(X)
    if delayed:
        return labels
    labels = labels.persist()
    wait(labels)
    return labels


def collect(array, limit):
    result = array.compute()
    if result.nbytes > limit:
        raise MemoryError(f"{result.nbytes} bytes")
    return result
