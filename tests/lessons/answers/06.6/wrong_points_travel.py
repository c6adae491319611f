import numpy as np


def nearest(points, centroids):
    return ((points[:, None, :] - centroids[None, :, :]) ** 2).sum(axis=2).argmin(axis=1)


def kmeans_on_ranks(comm, points, start, tolerance=1e-3, max_iterations=200):
    path, inertias = [start], []
    for _ in range(max_iterations):
        everything = np.concatenate(comm.allgather(points))
        old = path[-1]
        labels = nearest(everything, old)
        inertias.append(float(((everything - old[labels]) ** 2).sum()))
        path.append(
            np.stack([everything[labels == j].mean(axis=0) if (labels == j).any() else old[j] for j in range(len(old))])
        )
        if np.abs(path[-1] - old).max() <= tolerance:
            break
    return path, inertias
