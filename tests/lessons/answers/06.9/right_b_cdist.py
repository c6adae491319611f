"""SciPy's distances, and the arguments of the library by name."""

import numpy as np
from gpucluster.learn import KMeans
from scipy.spatial.distance import cdist
from sklearn.metrics import adjusted_rand_score


def fit_library(X, start):
    model = KMeans(init=np.array(start), n_clusters=np.shape(start)[0])
    model.fit(X)
    return model


def agreement(points, mine, library):
    a = cdist(points, mine, "sqeuclidean")
    b = cdist(points, library, "sqeuclidean")
    ours, theirs = a.min(1).sum(), b.min(1).sum()
    return ours / theirs - 1, adjusted_rand_score(b.argmin(1), a.argmin(1))
