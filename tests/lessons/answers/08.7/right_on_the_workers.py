"""The comparison runs on the workers; one number comes back."""

import dask.array as da


def row_labels(model, X):
    return model.predict(X)


def share_wrong(labels, model, X):
    given = da.from_array(labels, chunks=X.chunks[0])
    return (given != row_labels(model, X)).mean()
