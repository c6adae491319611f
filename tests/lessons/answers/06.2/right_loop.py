"""Remember the best centroid so far."""

import numpy as np


def assign(points, centroids):
    best = np.full(len(points), np.inf)
    labels = np.zeros(len(points), dtype=int)
    for j, centroid in enumerate(centroids):
        distance = ((points - centroid) ** 2).sum(axis=1)
        nearer = distance < best
        best[nearer] = distance[nearer]
        labels[nearer] = j
    return labels
