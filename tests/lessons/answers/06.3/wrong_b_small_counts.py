"""Wrong: counts in one byte to send less; they start again at 0 after 255 points."""

import numpy as np


def partial(points, labels, centroids):
    sums = np.zeros(centroids.shape)
    np.add.at(sums, labels, points)
    counts = np.bincount(labels, minlength=len(centroids)).astype(np.uint8)
    return sums, counts, ((points - centroids[labels]) ** 2).sum()
