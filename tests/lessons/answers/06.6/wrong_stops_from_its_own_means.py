"""Stops when the means of its own points stand still."""

import numpy as np


def nearest(points, centroids):
    return ((points[:, None, :] - centroids[None, :, :]) ** 2).sum(axis=2).argmin(axis=1)


def kmeans_on_ranks(comm, points, start, tolerance=1e-3, max_iterations=200):
    path, inertias, mine = [start], [], start
    for _ in range(max_iterations):
        old = path[-1]
        labels = nearest(points, old)
        sums = np.zeros_like(old)
        np.add.at(sums, labels, points)
        counts = np.bincount(labels, minlength=len(old)).astype(float)
        inertia = float(((points - old[labels]) ** 2).sum())
        before, mine = mine, np.where(counts[:, None] > 0, sums / np.maximum(counts, 1)[:, None], old)
        sums, counts = comm.allreduce(sums), comm.allreduce(counts)
        inertias.append(comm.allreduce(inertia))
        path.append(np.where(counts[:, None] > 0, sums / np.maximum(counts, 1)[:, None], old))
        if np.abs(mine - before).max() <= tolerance:
            break
    return path, inertias
