"""Right: labels by predict, and the mean of a comparison in the notebook."""

import numpy as np
from gpucluster.lessons import as_numpy


def row_labels(model, X):
    return model.predict(X)


def share_wrong(labels, model, X):
    return float(np.mean(as_numpy(model.predict(X).compute()) != labels))
