"""A worker merges; arrays instead of lists; stops when the inertia stands still."""

import numpy as np


def step(block, centroids):
    distances = np.stack([((block - c) ** 2).sum(axis=1) for c in centroids], axis=1)
    labels = distances.argmin(axis=1)
    k = len(centroids)
    sums = np.stack([np.bincount(labels, block[:, j], k) for j in range(block.shape[1])], axis=1)
    return sums, np.bincount(labels, minlength=k), distances.min(axis=1).sum()


def merge(results):
    return tuple(sum(values) for values in zip(*results, strict=True))


def kmeans(client, parts, start, tolerance, max_iterations, step=step):
    path, inertias = np.array([start]), np.array([])
    while len(inertias) < max_iterations:
        partials = [client.submit(step, part, path[-1], pure=False) for part in parts]
        sums, counts, inertia = client.submit(merge, partials, pure=False).result()
        inertias = np.append(inertias, inertia)
        new = [total / count if count else old for total, count, old in zip(sums, counts, path[-1], strict=True)]
        path = np.append(path, [new], axis=0)
        if np.array_equal(path[-1], path[-2]) or np.abs(path[-1] - path[-2]).max() < tolerance:
            break
    return path, inertias
