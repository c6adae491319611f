"""A range that ends one too early."""

import numpy as np


def partial(points, labels, centroids):
    sums, counts, inertia = np.zeros_like(centroids), np.zeros(len(centroids)), 0.0
    for i in range(len(points) - 1):
        sums[labels[i]] += points[i]
        counts[labels[i]] += 1
        inertia += ((points[i] - centroids[labels[i]]) ** 2).sum()
    return sums, counts, inertia
