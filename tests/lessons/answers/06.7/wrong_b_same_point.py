"""Wrong: all empty clusters get the first far point, but each gets 'the next'."""

import numpy as np


def update(sums, counts, centroids, far_points):
    new = sums / np.maximum(counts, 1)[:, None]
    for j in np.flatnonzero(counts == 0):
        new[j] = far_points[0] if len(far_points) else centroids[j]
    return new
