"""Wrong: labels of 8 bytes travel for each pixel, but 3 are allowed."""

import numpy as np
from gpucluster.lessons import as_numpy
from gpucluster.lessons.material.pictures import load_photo


def assign(points, centroids):
    best = np.full(len(points), np.inf)
    labels = np.zeros(len(points), dtype=int)
    for number, centroid in enumerate(centroids):
        squared = ((points - centroid) ** 2).sum(axis=1)
        closer = squared < best
        labels[closer] = number
        best[closer] = squared[closer]
    return labels


def small_labels(block, centroids):
    return as_numpy(assign(block, np.asarray(centroids, like=block))).astype(np.int64)


def recolour(client, parts, centroids):
    labels = client.gather(client.map(small_labels, parts, centroids=centroids, pure=False))
    palette = np.rint(np.asarray(centroids) * 255).astype(np.uint8)
    return palette[np.concatenate(labels)]


photo = load_photo()
pixels = photo.reshape(-1, 3) / 255


def fit_colours(k):
    """Lloyd's loop on the different colours, each with its number of pixels, until nothing moves."""
    colours, inverse, often = np.unique(photo.reshape(-1, 3), axis=0, return_inverse=True, return_counts=True)
    points = colours / 255
    centroids = points[np.random.default_rng(10).choice(len(points), k, replace=False)]
    labels = None
    for _ in range(2000):
        now = assign(points, centroids)
        if labels is not None and np.array_equal(now, labels):
            break
        labels = now
        weights = np.bincount(labels, weights=often, minlength=k)
        sums = np.array([np.bincount(labels, weights=often * points[:, j], minlength=k) for j in range(3)]).T
        centroids = np.where(weights[:, None] > 0, sums / np.maximum(weights, 1)[:, None], centroids)
    return centroids, labels[inverse.ravel()]


pictures = {}
for k in (4, 8, 16):
    centroids, labels = fit_colours(k)
    pictures[k] = np.rint(centroids * 255).astype(np.uint8)[labels].reshape(photo.shape)
