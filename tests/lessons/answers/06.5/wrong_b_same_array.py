"""Wrong: one array is changed in place, so start is changed and path has the last centroids everywhere."""

import numpy as np
from gpucluster.lessons import as_numpy


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


def step(block, centroids):
    centroids = np.asarray(centroids, like=block)
    labels = assign(block, centroids)
    return as_numpy(partial(block, labels, centroids))


def kmeans(client, parts, start, tolerance=1e-3, max_iterations=200, step=step):
    path, inertias = [start], []
    for _ in range(max_iterations):
        results = client.gather(client.map(step, parts, centroids=path[-1], pure=False))
        sums, counts, inertia = (sum(values) for values in zip(*results))
        new, old = path[-1], path[-1].copy()
        new[:] = np.where(counts[:, None] > 0, sums / np.maximum(counts, 1)[:, None], old)
        path.append(new)
        inertias.append(inertia)
        if np.abs(new - old).max() <= tolerance:
            break
    return path, inertias
