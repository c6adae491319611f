"""Unbuffered np.add.at for sums and counts."""

import numpy as np


def partial(points, labels, centroids):
    sums = np.zeros(centroids.shape, dtype=float)
    counts = np.zeros(len(centroids), dtype=np.int64)
    np.add.at(sums, labels, points)
    np.add.at(counts, labels, 1)
    inertia = np.square(points - np.take(centroids, labels, axis=0)).sum()
    return sums, counts, inertia
