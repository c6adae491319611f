"""A deque of far points, and one number after the other."""

from collections import deque

import numpy as np


def update(sums, counts, centroids, far_points):
    queue = deque(far_points.tolist())
    result = np.empty(centroids.shape)
    for j in range(len(counts)):
        if counts[j]:
            for i in range(centroids.shape[1]):
                result[j, i] = sums[j, i] / counts[j]
        elif queue:
            result[j] = queue.popleft()
        else:
            result[j] = centroids[j]
    return result
