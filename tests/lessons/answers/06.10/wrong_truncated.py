"""Colours are cut off instead of rounded."""

import numpy as np

pictures = {k: np.resize(np.arange(k * 3, dtype=np.uint8).reshape(k, 3), (8, 10, 3)) for k in (4, 8, 16)}


def nearest(block, centroids):
    return np.stack([((block - c) ** 2).sum(axis=1) for c in centroids], axis=1).argmin(axis=1)


def recolour(client, parts, centroids):
    labels = client.gather(client.map(lambda block, c: nearest(block, c).astype("u1"), parts, c=centroids))
    return (centroids * 255).astype(np.uint8)[np.concatenate(labels)]
