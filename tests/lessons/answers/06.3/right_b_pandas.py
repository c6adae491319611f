"""A pandas groupby, filled up for the clusters without points."""

import numpy as np
import pandas as pd


def partial(points, labels, centroids):
    k = len(centroids)
    groups = pd.DataFrame(points).groupby(np.asarray(labels))
    sums = groups.sum().reindex(range(k), fill_value=0).to_numpy(dtype=float)
    counts = groups.size().reindex(range(k), fill_value=0).to_numpy()
    inertia = sum(float(((points[rows] - centroids[j]) ** 2).sum()) for j, rows in groups.indices.items())
    return sums, counts, inertia
