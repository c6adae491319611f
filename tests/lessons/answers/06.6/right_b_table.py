"""One table per rank, with the counts as last column and the inertia in a last row."""

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
    def one(centroids):
        sums, counts, inertia = partial(points, assign(points, centroids), centroids)
        table = np.zeros((len(centroids) + 1, centroids.shape[1] + 1))
        table[:-1, :-1], table[:-1, -1], table[-1, -1] = sums, counts, inertia
        total = comm.allreduce(table)
        counts = total[:-1, -1:]
        return np.where(counts > 0, total[:-1, :-1] / np.maximum(counts, 1), centroids), total[-1, -1]

    path, inertias = [start], []
    for _ in range(max_iterations):
        new, inertia = one(path[-1])
        path += [new]
        inertias += [inertia]
        if not (np.abs(path[-1] - path[-2]) > tolerance).any():
            break
    return path, inertias
