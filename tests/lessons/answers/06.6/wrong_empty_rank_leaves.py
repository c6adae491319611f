"""A rank without points does not take part."""

import numpy as np


def nearest(points, centroids):
    return ((points[:, None, :] - centroids[None, :, :]) ** 2).sum(axis=2).argmin(axis=1)


def kmeans_on_ranks(comm, points, start, tolerance=1e-3, max_iterations=200):
    path, inertias = [start], []
    if len(points) == 0:
        return path, inertias
    for _ in range(max_iterations):
        old = path[-1]
        labels = nearest(points, old)
        one_hot = np.eye(len(old))[labels]
        mine = one_hot.T @ points, one_hot.sum(axis=0), float(((points - old[labels]) ** 2).sum())
        sums, counts, inertia = comm.allreduce(mine)
        new = np.array([sums[j] / counts[j] if counts[j] else old[j] for j in range(len(old))])
        path.append(new)
        inertias.append(inertia)
        if abs(new - old).max() <= tolerance:
            break
    return path, inertias
