"""Does not look at max_iterations."""

import numpy as np


def step(block, centroids):
    distances = np.stack([((block - c) ** 2).sum(axis=1) for c in centroids], axis=1)
    labels = distances.argmin(axis=1)
    k = len(centroids)
    sums = np.stack([np.bincount(labels, block[:, j], k) for j in range(block.shape[1])], axis=1)
    return sums, np.bincount(labels, minlength=k), distances.min(axis=1).sum()


def kmeans(client, parts, start, tolerance=1e-3, max_iterations=200, step=step):
    path, inertias = [start], []
    for _ in range(200):
        results = client.gather(client.map(step, parts, centroids=path[-1], pure=False))
        sums, counts, inertia = (sum(values) for values in zip(*results, strict=True))
        inertias.append(inertia)
        used = counts > 0
        new = path[-1].copy()
        new[used] = sums[used] / counts[used, None]
        path.append(new)
        if np.abs(path[-1] - path[-2]).max() <= tolerance:
            break
    return path, inertias
