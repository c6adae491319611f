"""Wrong: refuses each array of unknown size, also one that has at most limit bytes."""

from distributed import wait


def predict_rows(model, X, delayed=True):
    labels = model.predict(X)
    if delayed:
        return labels
    labels = labels.persist()
    wait(labels)
    return labels


def collect(array, limit):
    if not array.nbytes <= limit:
        raise MemoryError(f"{array.nbytes} bytes")
    return array.compute()
