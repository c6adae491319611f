"""Right: one query after the other with a norm, and a sort of structured pairs for the merge."""

import numpy as np


def nearest_in_block(block, start, queries, k):
    block = np.asarray(block, dtype=np.float64)
    n = min(k, len(block))
    distances, rows = np.empty((len(queries), n)), np.empty((len(queries), n), dtype=np.int64)
    for number, query in enumerate(queries):
        apart = np.linalg.norm(block - query, axis=1)
        rows[number] = np.argsort(apart, kind="stable")[:n]
        distances[number] = apart[rows[number]]
    return distances, rows + start


def merge_nearest(found, k):
    all_distances = np.hstack([distances for distances, rows in found])
    pairs = np.empty(all_distances.shape, dtype=[("distance", "f8"), ("row", "i8")])
    pairs["distance"] = all_distances
    pairs["row"] = np.hstack([rows for distances, rows in found])
    pairs.sort(axis=1, order=["distance", "row"])
    return pairs["distance"][:, :k].copy(), pairs["row"][:, :k].copy()
