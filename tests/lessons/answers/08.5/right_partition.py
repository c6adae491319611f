"""argpartition in the block, which leaves the k nearest in any order; the merge sorts."""

import numpy as np


def nearest_in_block(block, start, queries, k):
    k = min(k, len(block))
    distances = np.stack([np.linalg.norm(block - query, axis=1) for query in queries])
    order = np.argpartition(distances, k - 1, axis=1)[:, :k]
    return np.take_along_axis(distances, order, axis=1), order + start


def merge_nearest(found, k):
    distances, rows = found[0]
    for d, r in found[1:]:
        distances, rows = np.hstack([distances, d]), np.hstack([rows, r])
    order = distances.argsort(axis=1)[:, :k]
    lines = np.arange(len(order))[:, None]
    return distances[lines, order], rows[lines, order]
