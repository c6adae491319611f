"""Stops by the mean movement instead of the largest."""

import numpy as np
from distributed import as_completed


def step(block, centroids):
    distances = np.stack([((block - c) ** 2).sum(axis=1) for c in centroids], axis=1)
    labels = distances.argmin(axis=1)
    k = len(centroids)
    sums = np.stack([np.bincount(labels, block[:, j], k) for j in range(block.shape[1])], axis=1)
    return sums, np.bincount(labels, minlength=k), distances.min(axis=1).sum()


def kmeans(client, parts, start, tolerance, max_iterations, step=step):
    path, inertias = [start], []
    for _ in range(max_iterations):
        sums, counts, inertia = np.zeros_like(start), np.zeros(len(start)), 0.0
        for future in as_completed(client.map(step, parts, centroids=path[-1], pure=False)):
            one = future.result()
            sums += one[0]
            counts += one[1]
            inertia += one[2]
        inertias.append(inertia)
        path.append(sums / counts[:, None])
        if np.abs(path[-1] - path[-2]).mean() <= tolerance:
            break
    return path, inertias
