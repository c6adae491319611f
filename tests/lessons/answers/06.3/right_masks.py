"""One mask per cluster."""

import numpy as np


def partial(points, labels, centroids):
    masks = [labels == j for j in range(len(centroids))]
    sums = np.array([points[mask].sum(axis=0) for mask in masks])
    counts = np.array([mask.sum() for mask in masks])
    inertia = sum(((points[mask] - centroid) ** 2).sum() for mask, centroid in zip(masks, centroids, strict=True))
    return sums, counts, inertia
