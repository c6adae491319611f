"""Recursion instead of a loop: one iteration, then the rest."""

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
    if max_iterations == 0:
        return [start], []
    results = client.gather(client.map(step, parts, [start] * len(parts), pure=False))
    sums = np.sum([r[0] for r in results], axis=0)
    counts = np.sum([r[1] for r in results], axis=0)
    new = np.array([s / c if c else old for s, c, old in zip(sums, counts, start)])
    inertia = sum(r[2] for r in results)
    left = 0 if np.allclose(new, start, rtol=0, atol=tolerance) else max_iterations - 1
    path, inertias = kmeans(client, parts, new, tolerance, left, step)
    return [start] + path, [inertia] + inertias
