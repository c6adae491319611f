"""Wrong: linalg.norm over a broadcast still holds an array of n by k by d numbers."""

import numpy as np


def assign(points, centroids):
    return np.linalg.norm(np.expand_dims(points, 1) - centroids, axis=-1).argmin(axis=-1)
