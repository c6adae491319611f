"""Wrong: takes a far point for every cluster, also where none is needed, so it is not the next."""

import numpy as np


def update(sums, counts, centroids, far_points):
    waiting = iter(far_points)
    rows = []
    for s, c, old in zip(sums, counts, centroids):
        spare = next(waiting, old)
        rows.append(s / c if c > 0 else spare)
    return np.array(rows)
