"""Distances in half precision."""

import numpy as np


def assign(points, centroids):
    points, centroids = points.astype(np.float16), centroids.astype(np.float16)
    return np.stack([((points - c) ** 2).sum(axis=1) for c in centroids], axis=1).argmin(axis=1)
