"""A generator gives one iteration after the other, and islice limits them."""

from functools import reduce
from itertools import islice

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


def iterations(client, parts, centroids, step):
    while True:
        futures = client.map(step, parts, centroids=centroids, pure=False)
        sums, counts, inertia = reduce(lambda a, b: [x + y for x, y in zip(a, b)], client.gather(futures))
        new = np.array(centroids, dtype=float)
        for j in np.flatnonzero(counts):
            new[j] = sums[j] / counts[j]
        yield inertia, new, np.abs(new - centroids).max()
        centroids = new


def kmeans(client, parts, start, tolerance=1e-3, max_iterations=200, step=step):
    path, inertias = [start], []
    for inertia, new, moved in islice(iterations(client, parts, start, step), max_iterations):
        inertias.append(inertia)
        path.append(new)
        if not moved > tolerance:
            break
    return path, inertias
