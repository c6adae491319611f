"""Wrong: gives labels_ of the fit, which must not be trusted."""

import numpy as np
from gpucluster.lessons import as_numpy


def row_labels(model, X):
    return model.labels_


def share_wrong(labels, model, X):
    return float(np.mean(as_numpy(model.predict(X).compute()) != labels))
