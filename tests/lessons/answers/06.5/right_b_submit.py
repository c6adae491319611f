"""One submit per block, the centroids are sent ahead with scatter."""

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
    path, inertias = [np.array(start)], []
    while len(inertias) < max_iterations:
        old = path[-1]
        there = client.scatter(old, broadcast=True, hash=False)
        futures = [client.submit(step, part, there, pure=False) for part in parts]
        sums, counts, inertia = 0, 0, 0.0
        for s, c, i in client.gather(futures):
            sums, counts, inertia = sums + s, counts + c, inertia + i
        new = old.copy()
        full = counts > 0
        new[full] = sums[full] / counts[full, None]
        path.append(new)
        inertias.append(float(inertia))
        if (np.abs(new - old) <= tolerance).all():
            break
    return path, inertias
