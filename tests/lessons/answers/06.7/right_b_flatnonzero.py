"""Index arrays: the first empty clusters get the first far points."""

import numpy as np


def update(sums, counts, centroids, far_points):
    new = np.array(centroids, dtype=float, copy=True)
    full = np.flatnonzero(counts)
    new[full] = sums[full] / counts[full].reshape(-1, 1)
    empty = np.flatnonzero(counts == 0)[: len(far_points)]
    new[empty] = far_points[: len(empty)]
    return new
