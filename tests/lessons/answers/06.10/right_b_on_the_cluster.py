"""The pictures come from the distributed loop, begun with the colours of a small photo, and from recolour itself."""

import dask.array as da
import numpy as np
from distributed import default_client
from gpucluster.lessons import as_numpy
from gpucluster.lessons.material.pictures import load_photo
from sklearn.cluster import KMeans


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
    path, inertias = [start], []
    for _ in range(max_iterations):
        results = client.gather(client.map(step, parts, centroids=path[-1], pure=False))
        sums, counts, inertia = (sum(values) for values in zip(*results))
        new = np.where(counts[:, None] > 0, sums / np.maximum(counts, 1)[:, None], path[-1])
        path.append(new)
        inertias.append(inertia)
        if np.abs(new - path[-2]).max() <= tolerance:
            break
    return path, inertias


def recolour(client, parts, centroids):
    def labels_of(block):
        return as_numpy(assign(block, np.asarray(centroids, like=block))).astype(np.int8)

    palette = [tuple(int(round(255 * float(x))) for x in c) for c in centroids]
    labels = client.gather(client.map(labels_of, parts, pure=False))
    return np.array(palette, dtype=np.uint8)[np.concatenate(labels)]


photo = load_photo()
client = default_client()
blocks = da.from_array(photo.reshape(-1, 3) / 255, chunks=(68320, 3)).to_backend()
parts = client.compute(list(blocks.to_delayed().ravel()))
pictures = {}
for k in (4, 8, 16):
    start = KMeans(k, n_init=1, random_state=10).fit(photo[::16, ::16].reshape(-1, 3) / 255).cluster_centers_
    path, _ = kmeans(client, parts, start, tolerance=2e-3, max_iterations=1000)
    pictures[k] = recolour(client, parts, path[-1]).reshape(photo.shape)
