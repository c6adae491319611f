"""Wrong: a cluster with one point counts as empty, but 'a cluster with points gets their mean'."""

import numpy as np


def update(sums, counts, centroids, far_points):
    waiting = iter(far_points)
    return np.array([s / c if c > 1 else next(waiting, old) for s, c, old in zip(sums, counts, centroids)])
