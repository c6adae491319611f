"""Wrong: everything is made float32 to save memory, not 'as many digits as the points have'."""

import numpy as np


def assign(points, centroids):
    points, centroids = points.astype(np.float32), centroids.astype(np.float32)
    squared = np.empty((len(points), len(centroids)), dtype=np.float32)
    for j in range(len(centroids)):
        squared[:, j] = ((points - centroids[j]) ** 2).sum(axis=1)
    return squared.argmin(axis=1)
