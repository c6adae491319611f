"""Membership as a matrix, and sums as a product."""

import numpy as np


def partial(points, labels, centroids):
    member = np.equal.outer(np.arange(len(centroids)), labels).astype(float)
    return [member @ points, member.sum(axis=1), float(np.square(points - centroids[labels]).sum())]
