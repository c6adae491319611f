"""Wrong: the detector compares with labels_, which must not be trusted in either function."""

import numpy as np
from gpucluster.lessons import as_numpy


def row_labels(model, X):
    return model.predict(X)


def share_wrong(labels, model, X):
    own = model.labels_
    own = own.compute() if hasattr(own, "compute") else own
    return float(np.mean(as_numpy(own) != labels))
