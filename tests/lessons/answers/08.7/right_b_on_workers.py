"""Right: the labels are cut as the prediction is, and compared on the workers."""

import dask.array as da


def row_labels(model, X):
    return model.predict(X).persist()


def share_wrong(labels, model, X):
    own = model.predict(X)
    given = da.from_array(labels, chunks=own.chunks)
    return float((own != given).mean().compute())
