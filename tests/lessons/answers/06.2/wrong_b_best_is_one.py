"""Wrong: starts with 1 as the largest distance, so points that are farther keep number 0, not the nearest."""

import numpy as np


def assign(points, centroids):
    best = np.ones(len(points))
    labels = np.zeros(len(points), dtype=int)
    for j in range(len(centroids)):
        squared = ((points - centroids[j]) ** 2).sum(axis=1)
        closer = squared < best
        best[closer], labels[closer] = squared[closer], j
    return labels
