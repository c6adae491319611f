"""Wrong: pop() takes the last far point, but the farthest is first."""

import numpy as np


def update(sums, counts, centroids, far_points):
    left = list(far_points)
    new = []
    for s, c, old in zip(sums, counts, centroids):
        if c:
            new.append(s / c)
        else:
            new.append(left.pop() if left else old)
    return np.array(new)
