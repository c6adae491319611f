"""Labels, one block at a time."""

import numpy as np

pictures = {k: np.resize(np.arange(k * 3, dtype=np.uint8).reshape(k, 3), (8, 10, 3)) for k in (4, 8, 16)}


def nearest(block, centroids):
    return np.stack([((block - c) ** 2).sum(axis=1) for c in centroids], axis=1).argmin(axis=1)


def recolour(client, parts, centroids):
    labels = []
    for part in parts:
        future = client.submit(lambda block, c: nearest(block, c).astype("i1"), part, centroids)
        labels += future.result().tolist()
    return np.array([np.rint(centroids[j] * 255) for j in labels]).astype(np.uint8)
