"""Wrong: the k nearest of all come in any order, not the nearest first."""

import numpy as np


def nearest_in_block(block, start, queries, k):
    apart = np.asarray(queries, dtype=float)[:, None, :] - np.asarray(block, dtype=float)[None, :, :]
    distances = np.sqrt((apart**2).sum(axis=2))
    order = np.argsort(distances, axis=1, kind="stable")[:, :k]
    return np.take_along_axis(distances, order, axis=1), order + start


def merge_nearest(found, k):
    distances = np.hstack([distances for distances, _ in found])
    rows = np.hstack([rows for _, rows in found])
    part = np.sort(np.argpartition(distances, min(k, distances.shape[1]) - 1, axis=1)[:, :k], axis=1)
    return np.take_along_axis(distances, part, axis=1), np.take_along_axis(rows, part, axis=1)
