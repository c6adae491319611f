"""One array, changed in place: path holds it many times."""

import numpy as np


def step(block, centroids):
    distances = np.stack([((block - c) ** 2).sum(axis=1) for c in centroids], axis=1)
    labels = distances.argmin(axis=1)
    k = len(centroids)
    sums = np.stack([np.bincount(labels, block[:, j], k) for j in range(block.shape[1])], axis=1)
    return sums, np.bincount(labels, minlength=k), distances.min(axis=1).sum()


def kmeans(client, parts, start, tolerance, max_iterations, step=step):
    centroids = start.copy()
    path, inertias = [centroids], []
    for _ in range(max_iterations):
        results = client.gather(client.map(step, parts, centroids=centroids.copy(), pure=False))
        inertias.append(sum(result[2] for result in results))
        new = sum(result[0] for result in results) / sum(result[1] for result in results)[:, None]
        moved = np.abs(new - centroids).max()
        centroids[:] = new
        path.append(centroids)
        if moved <= tolerance:
            break
    return path, inertias
