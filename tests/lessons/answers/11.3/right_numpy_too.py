"""Style: NumPy columns, argmin over masked sizes, searchsorted for the place; pairs of NumPy integers."""

import math

import numpy as np


def _columns(free):
    table = np.array(free, dtype=np.int64).reshape(-1, 2)
    return table[:, 0], table[:, 1]


def take(free, size):
    size = 256 * math.ceil(size / 256)
    starts, sizes = _columns(free)
    masked = np.where(sizes >= size, sizes, np.iinfo(np.int64).max)
    if not (sizes >= size).any():
        return None, [tuple(block) for block in free]
    i = int(masked.argmin())
    where = starts[i]
    starts = starts + size * (np.arange(len(starts)) == i)
    sizes = sizes - size * (np.arange(len(sizes)) == i)
    keep = sizes > 0
    return where, list(zip(starts[keep], sizes[keep], strict=False))


def give_back(free, start, size):
    size = 256 * math.ceil(size / 256)
    starts, sizes = _columns(free)
    i = int(np.searchsorted(starts, start))
    starts, sizes = np.insert(starts, i, start), np.insert(sizes, i, size)
    group = np.concatenate([[0], np.cumsum(starts[1:] != starts[:-1] + sizes[:-1])])
    first = np.flatnonzero(np.diff(group, prepend=-1))
    return list(zip(starts[first].tolist(), np.add.reduceat(sizes, first).tolist(), strict=False))
