import numpy as np


def nearest(points, centroids):
    return ((points[:, None, :] - centroids[None, :, :]) ** 2).sum(axis=2).argmin(axis=1)


def kmeans_on_ranks(comm, points, start, tolerance=1e-3, max_iterations=200):
    path, inertias = [start], []
    for _ in range(max_iterations):
        old = path[-1]
        labels = nearest(points, old)
        flat = np.zeros(old.size + len(old) + 1)
        for label, point in zip(labels, points, strict=True):
            flat[label * old.shape[1] : (label + 1) * old.shape[1]] += point
        flat[old.size : -1] = np.bincount(labels, minlength=len(old))
        flat[-1] = ((points - old[labels]) ** 2).sum()
        flat = comm.allreduce(flat)
        sums, counts = flat[: old.size].reshape(old.shape), flat[old.size : -1]
        inertias.append(flat[-1])
        path.append(np.where(counts[:, None] > 0, sums / np.maximum(counts, 1)[:, None], old))
        if np.abs(path[-1] - old).max() <= tolerance:
            break
    return path, inertias
