"""One task gets all blocks."""

import numpy as np


def step(block, centroids):
    distances = np.stack([((block - c) ** 2).sum(axis=1) for c in centroids], axis=1)
    labels = distances.argmin(axis=1)
    k = len(centroids)
    sums = np.stack([np.bincount(labels, block[:, j], k) for j in range(block.shape[1])], axis=1)
    return sums, np.bincount(labels, minlength=k), distances.min(axis=1).sum()


def kmeans(client, parts, start, tolerance, max_iterations, step=step):
    def all_steps(blocks, centroids):
        return tuple(sum(values) for values in zip(*[step(block, centroids) for block in blocks], strict=True))

    path, inertias = [start], []
    for _ in range(max_iterations):
        sums, counts, inertia = client.submit(all_steps, parts, path[-1], pure=False).result()
        inertias.append(inertia)
        path.append(np.where(counts[:, None] > 0, sums / np.maximum(counts, 1)[:, None], path[-1]))
        if np.abs(path[-1] - path[-2]).max() <= tolerance:
            break
    return path, inertias
