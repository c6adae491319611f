"""Eight bytes per label."""

import numpy as np

pictures = {k: np.resize(np.arange(k * 3, dtype=np.uint8).reshape(k, 3), (8, 10, 3)) for k in (4, 8, 16)}


def nearest(block, centroids):
    return np.stack([((block - c) ** 2).sum(axis=1) for c in centroids], axis=1).argmin(axis=1)


def recolour(client, parts, centroids):
    labels = client.gather(client.map(nearest, parts, centroids=centroids))
    return (centroids * 255).round().astype(np.uint8)[np.concatenate(labels)]
