"""Looks at the size when the data are here."""


def predict_rows(model, X, delayed=True):
    labels = model.predict(X)
    return labels if delayed else labels.persist()


def collect(array, limit):
    rows = array.compute()
    if rows.nbytes > limit:
        raise MemoryError("too large")
    return rows
