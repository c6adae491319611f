"""Right: dictionaries of columns and a mean of full tables; the rows are dealt with delayed pieces of all blocks."""

import dask
import dask.array as da
import numpy as np


def full_table(forest, X, n_classes):
    chances = forest.predict_proba(X)
    column_of = {int(label): place for place, label in enumerate(forest.classes_)}
    missing = np.zeros(len(X))
    return np.column_stack([chances[:, column_of[c]] if c in column_of else missing for c in range(n_classes)])


def vote(forests, X, n_classes):
    return np.mean([full_table(forest, X, n_classes) for forest in forests], axis=0).argmax(axis=1)


@dask.delayed
def pick(block, rows):
    return block[rows]


@dask.delayed
def join(pieces, order):
    return np.concatenate(pieces)[order]


def deal_one(array, order):
    rows = array.chunks[0]
    begins = np.cumsum((0, *rows))
    sources = list(array.rechunk(dict.fromkeys(range(1, array.ndim), -1)).to_delayed().ravel())
    blocks, done = [], 0
    for size in rows:
        wanted = order[done : done + size]
        done += size
        owner = np.searchsorted(begins, wanted, side="right") - 1
        pieces = [pick(source, wanted[owner == i] - begins[i]) for i, source in enumerate(sources)]
        back = np.argsort(np.argsort(owner, kind="stable"), kind="stable")
        shape = (size, *array.shape[1:])
        blocks.append(da.from_delayed(join(pieces, back), shape=shape, dtype=array.dtype))
    return da.concatenate(blocks)


def deal(X, y, seed):
    order = np.random.RandomState(seed).permutation(X.shape[0])
    return deal_one(X, order), deal_one(y, order)
