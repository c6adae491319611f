"""The picture for k = 8 has sixteen."""

import numpy as np
from gpucluster.lessons.material.pictures import load_photo
from sklearn.cluster import KMeans


def from_the_photo(k):
    """k-means on one point in fifty, then on all."""
    points = load_photo().reshape(-1, 3)
    model = KMeans(k, n_init=1, random_state=0).fit(points[::50])
    model = KMeans(k, init=model.cluster_centers_, n_init=1, max_iter=15).fit(points)
    return np.rint(model.cluster_centers_).astype(np.uint8)[model.labels_].reshape(load_photo().shape)


pictures = {k: from_the_photo(k) for k in (4, 8, 16)}


def nearest(block, centroids):
    return np.stack([((block - c) ** 2).sum(axis=1) for c in centroids], axis=1).argmin(axis=1)


pictures[8] = pictures[16]


def recolour(client, parts, centroids):
    labels = client.gather(client.map(lambda block, c: nearest(block, c).astype("u1"), parts, c=centroids))
    return (centroids * 255).round().astype(np.uint8)[np.concatenate(labels)]
