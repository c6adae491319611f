"""Right: one block of rows after the other, with counts of different labels added up."""

import dask.array as da
import numpy as np


def parts(X):
    return (X.blocks[number] for number in range(X.numblocks[0]))


def row_labels(model, X):
    return da.concatenate([model.predict(part) for part in parts(X)])


def share_wrong(labels, model, X):
    wrong = begin = 0
    for part in parts(X):
        own = np.asarray(model.predict(part).compute())
        wrong += sum(1 for one, other in zip(own.tolist(), labels[begin : begin + len(own)].tolist()) if one != other)
        begin += len(own)
    return wrong / begin
