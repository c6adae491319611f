"""Wrong: compares with the centroid before, not with the best so far, so it is not the nearest."""

import numpy as np


def assign(points, centroids):
    before = ((points - centroids[0]) ** 2).sum(axis=1)
    labels = np.zeros(len(points), dtype=int)
    for j in range(1, len(centroids)):
        now = ((points - centroids[j]) ** 2).sum(axis=1)
        labels[now < before] = j
        before = now
    return labels
