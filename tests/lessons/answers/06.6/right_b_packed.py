"""One flat array for sums, counts and inertia, cut up again with np.split."""

import numpy as np


def assign(points, centroids):
    best = np.full(len(points), np.inf)
    labels = np.zeros(len(points), dtype=int)
    for number, centroid in enumerate(centroids):
        squared = ((points - centroid) ** 2).sum(axis=1)
        closer = squared < best
        labels[closer] = number
        best[closer] = squared[closer]
    return labels


def partial(points, labels, centroids):
    k = len(centroids)
    sums = np.zeros(centroids.shape)
    for number in range(k):
        sums[number] = points[labels == number].sum(axis=0)
    counts = np.bincount(labels, minlength=k)
    inertia = float(((points - centroids[labels]) ** 2).sum())
    return sums, counts, inertia


def kmeans_on_ranks(comm, points, start, tolerance=1e-3, max_iterations=200):
    k, d = start.shape
    path, inertias = [start.copy()], []
    for _ in range(max_iterations):
        old = path[-1]
        sums, counts, inertia = partial(points, assign(points, old), old)
        message = np.concatenate([np.ravel(sums), counts, [inertia]]).astype(float)
        sums, counts, inertia = np.split(comm.allreduce(message), [k * d, k * d + k])
        new = old.astype(float)
        has = counts > 0
        new[has] = sums.reshape(k, d)[has] / counts[has, None]
        path.append(new)
        inertias.append(float(inertia[0]))
        if np.abs(new - old).max() <= tolerance:
            break
    return path, inertias
