"""Wrong: gives the number of wrong rows, not their share."""

from gpucluster.lessons import as_numpy


def row_labels(model, X):
    return model.predict(X)


def share_wrong(labels, model, X):
    return int((as_numpy(model.predict(X).compute()) != labels).sum())
