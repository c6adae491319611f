"""Dask's delayed, merged in the notebook."""

import dask
import numpy as np


def step(block, centroids):
    distances = np.stack([((block - c) ** 2).sum(axis=1) for c in centroids], axis=1)
    labels = distances.argmin(axis=1)
    k = len(centroids)
    sums = np.stack([np.bincount(labels, block[:, j], k) for j in range(block.shape[1])], axis=1)
    return sums, np.bincount(labels, minlength=k), distances.min(axis=1).sum()


def kmeans(client, parts, start, tolerance, max_iterations, step=step):
    centroids, path, inertias = start, [start], []
    for _ in range(max_iterations):
        lazy = [dask.delayed(step, pure=False)(part, centroids) for part in parts]
        results = client.gather(client.compute(lazy))
        inertias.append(sum(result[2] for result in results))
        counts = sum(result[1] for result in results)
        sums, centroids = sum(result[0] for result in results), centroids.copy()
        centroids[counts > 0] = sums[counts > 0] / counts[counts > 0, None]
        path.append(centroids)
        if np.allclose(path[-1], path[-2], rtol=0, atol=tolerance):
            break
    return path, inertias
