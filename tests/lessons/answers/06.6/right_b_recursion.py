"""Recursion: one iteration and then the rest, the same depth on every rank."""

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
    if not max_iterations:
        return [start], []
    sums, counts, inertia = partial(points, assign(points, start), start)
    total = comm.allreduce(np.hstack([np.hstack([sums, np.reshape(counts, (-1, 1))]).ravel(), inertia]))
    merged = total[:-1].reshape(len(start), -1)
    new = np.array(start, dtype=float)
    for j, row in enumerate(merged):
        if row[-1]:
            new[j] = row[:-1] / row[-1]
    still = bool(np.all(np.abs(new - start) <= tolerance))
    path, inertias = kmeans_on_ranks(comm, points, new, tolerance, 0 if still else max_iterations - 1)
    return [start, *path], [float(total[-1]), *inertias]
