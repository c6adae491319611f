"""Without a loop: cumsum says which far point is the next."""

import numpy as np


def update(sums, counts, centroids, far_points):
    empty = counts == 0
    turn = np.cumsum(empty) - 1
    reserve = np.concatenate([far_points, centroids]).astype(float)
    spare = np.where(turn < len(far_points), turn, len(far_points) + np.arange(len(centroids)))
    return np.where(empty[:, None], reserve[spare], sums / np.where(empty, 1, counts)[:, None])
