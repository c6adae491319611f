"""Distances in single precision, although the points have more digits."""

import numpy as np


def assign(points, centroids):
    points, centroids = np.float32(points), np.float32(centroids)
    return np.stack([((points - c) ** 2).sum(axis=1) for c in centroids], axis=1).argmin(axis=1)
