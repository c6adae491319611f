"""Two numbers in an array."""

import numpy as np
from gpucluster.learn import KMeans
from sklearn.metrics import adjusted_rand_score


def fit_library(X, start):
    return KMeans(len(start), init=start, n_init=1).fit(X)


def nearest(points, centroids):
    return np.stack([((points - c) ** 2).sum(axis=1) for c in centroids], axis=1).argmin(axis=1)


def inertia(points, centroids):
    return ((points - centroids[nearest(points, centroids)]) ** 2).sum()


def agreement(points, mine, library):
    ari = adjusted_rand_score(nearest(points, mine), nearest(points, library))
    return np.array([inertia(points, mine) / inertia(points, library) - 1, ari])
