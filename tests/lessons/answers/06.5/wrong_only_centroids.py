"""Not what was asked for."""

import numpy as np


def step(block, centroids):
    distances = np.stack([((block - c) ** 2).sum(axis=1) for c in centroids], axis=1)
    labels = distances.argmin(axis=1)
    k = len(centroids)
    sums = np.stack([np.bincount(labels, block[:, j], k) for j in range(block.shape[1])], axis=1)
    return sums, np.bincount(labels, minlength=k), distances.min(axis=1).sum()


def kmeans(client, parts, start, tolerance, max_iterations, step=step):
    path, inertias = [start], []
    for _ in range(max_iterations):
        results = client.gather(client.map(step, parts, centroids=path[-1], pure=False))
        inertias.append(sum(result[2] for result in results))
        counts = sum(result[1] for result in results)
        path.append(sum(result[0] for result in results) / counts[:, None])
        if np.abs(path[-1] - path[-2]).max() <= tolerance:
            break
    return path[-1]
