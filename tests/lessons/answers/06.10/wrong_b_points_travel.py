"""Wrong: fetches the points to the notebook, but 'the points are not' needed there."""

import numpy as np
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


def recolour(client, parts, centroids):
    points = np.concatenate([as_numpy(block) for block in client.gather(parts)])
    return np.rint(centroids * 255).astype(np.uint8)[assign(points, centroids)]


photo = load_photo()
pixels = photo.reshape(-1, 3) / 255


def fit_colours(k):
    """k-means of the different colours, each with its number of pixels."""
    colours, inverse, often = np.unique(photo.reshape(-1, 3), axis=0, return_inverse=True, return_counts=True)
    model = KMeans(k, n_init=1, tol=0, max_iter=1000, random_state=10).fit(colours / 255, sample_weight=often)
    return model.cluster_centers_, model.labels_[inverse.ravel()]


pictures = {}
for k in (4, 8, 16):
    centroids, labels = fit_colours(k)
    pictures[k] = np.rint(centroids * 255).astype(np.uint8)[labels].reshape(photo.shape)
