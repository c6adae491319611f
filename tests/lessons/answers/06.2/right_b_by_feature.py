"""Adds up the squares feature by feature, in arrays of n by k numbers."""

import numpy as np


def assign(points, centroids):
    squared = np.zeros((len(points), len(centroids)), dtype=np.result_type(points, centroids))
    for feature in range(points.shape[1]):
        difference = np.subtract.outer(points[:, feature], centroids[:, feature])
        difference *= difference
        squared += difference
    return squared.argmin(axis=1)
