"""Arrays: starts and sizes."""

import numpy as np


def take(free, size):
    need = int(np.ceil(size / 256)) * 256
    table = np.array(free, dtype=np.int64).reshape(-1, 2)
    fits = np.flatnonzero(table[:, 1] >= need)
    if not len(fits):
        return None, table
    best = fits[np.argmin(table[fits, 1])]
    start = table[best, 0]
    table[best] += [need, -need]
    return start, table[table[:, 1] > 0]


def give_back(free, start, size):
    need = int(np.ceil(size / 256)) * 256
    table = np.array([*free, (start, need)], dtype=np.int64)
    table = table[table[:, 0].argsort()]
    ends = table.sum(axis=1)
    first = np.append(True, table[1:, 0] != ends[:-1])
    group = first.cumsum() - 1
    return [(int(table[group == one, 0].min()), int(table[group == one, 1].sum())) for one in range(group[-1] + 1)]
