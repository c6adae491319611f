"""Wrong: gives a percentage from 0 to 100 instead of a share from 0 to 1."""

from gpucluster.lessons import as_numpy


def row_labels(model, X):
    return model.predict(X)


def share_wrong(labels, model, X):
    return 100 * float((as_numpy(model.predict(X).compute()) != labels).mean())
