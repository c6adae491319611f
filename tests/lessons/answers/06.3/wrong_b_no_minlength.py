"""Wrong: counts are shorter than k if the last clusters have no points, but k counts are asked."""

import numpy as np


def partial(points, labels, centroids):
    sums = np.array([points[labels == j].sum(axis=0) for j in range(len(centroids))])
    counts = np.bincount(labels)
    inertia = ((points - centroids[labels]) ** 2).sum()
    return sums, counts, inertia
