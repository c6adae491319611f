"""Wrong: compares how many rows have each label, which are right even when the rows are wrong."""

import numpy as np
from gpucluster.lessons import as_numpy


def row_labels(model, X):
    return model.predict(X)


def share_wrong(labels, model, X):
    own = as_numpy(model.predict(X).compute())
    n = int(max(own.max(), labels.max())) + 1
    return float(np.abs(np.bincount(own, minlength=n) - np.bincount(labels, minlength=n)).sum() / 2 / len(own))
