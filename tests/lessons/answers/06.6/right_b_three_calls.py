"""Three calls of allreduce, one for each thing, and a while loop."""

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
    centroids = np.array(start, dtype=float)
    path, inertias, moved = [centroids], [], np.inf
    while moved > tolerance and len(inertias) < max_iterations:
        mine = partial(points, assign(points, centroids), centroids)
        sums = comm.allreduce(np.asarray(mine[0], dtype=float))
        counts = comm.allreduce(np.asarray(mine[1], dtype=float))
        inertia = comm.allreduce(np.array([mine[2]], dtype=float))
        new = np.array([sums[j] / counts[j] if counts[j] > 0 else centroids[j] for j in range(len(centroids))])
        moved = max(abs(a - b) for a, b in zip(new.ravel(), centroids.ravel()))
        centroids = new
        path.append(new)
        inertias.append(inertia.item())
    return path, inertias
