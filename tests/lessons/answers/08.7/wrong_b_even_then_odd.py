"""Wrong: puts even blocks before odd ones, the order of the example with two workers, not the order of X."""

import dask.array as da
import numpy as np
from gpucluster.lessons import as_numpy


def row_labels(model, X):
    labels = model.predict(X)
    n = labels.numblocks[0]
    return da.concatenate([labels.blocks[i] for i in [*range(0, n, 2), *range(1, n, 2)]])


def share_wrong(labels, model, X):
    return float(np.mean(as_numpy(model.predict(X).compute()) != labels))
