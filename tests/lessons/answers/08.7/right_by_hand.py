"""Nearest centroid, block by block."""

import numpy as np


def row_labels(model, X):
    centres = np.asarray(model.cluster_centers_)

    def nearest(block):
        return ((block[:, None, :] - centres[None]) ** 2).sum(axis=2).argmin(axis=1)

    return X.map_blocks(nearest, drop_axis=1, dtype=np.intp).compute()


def share_wrong(labels, model, X):
    return np.mean(row_labels(model, X) != labels)
