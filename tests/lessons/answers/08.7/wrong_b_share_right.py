"""Wrong: gives the share of rows whose label is right."""

from gpucluster.lessons import as_numpy


def row_labels(model, X):
    return model.predict(X)


def share_wrong(labels, model, X):
    return float((as_numpy(model.predict(X).compute()) == labels).mean())
