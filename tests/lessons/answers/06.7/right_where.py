import numpy as np


def update(sums, counts, centroids, far_points):
    new = np.where(counts[:, None] > 0, sums / np.maximum(counts, 1)[:, None], centroids)
    for cluster, point in zip(np.flatnonzero(counts == 0), far_points, strict=False):
        new[cluster] = point
    return new
