"""Right labels, but the caller's points are spoilt."""

import numpy as np


def assign(points, centroids):
    labels = ((centroids**2).sum(axis=1) - 2 * points @ centroids.T).argmin(axis=1)
    np.multiply(points, 2, out=points)
    return labels
