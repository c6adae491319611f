"""Wrong: when no far point is left the centroid becomes 0, but it 'stays where it is'."""

import numpy as np


def update(sums, counts, centroids, far_points):
    new = sums / np.maximum(counts, 1)[:, None]
    empty = np.flatnonzero(counts == 0)
    for j, point in zip(empty, far_points):
        new[j] = point
    return new
