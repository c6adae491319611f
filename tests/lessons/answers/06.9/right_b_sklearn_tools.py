"""scikit-learn's KMeans is only asked for the labels and the score of given centroids."""

import numpy as np
from gpucluster.learn import KMeans
from sklearn.metrics import adjusted_rand_score
from sklearn.neighbors import NearestNeighbors


def fit_library(X, start):
    return KMeans(n_clusters=start.shape[0], init=start, n_init=1, random_state=0).fit(X)


def measured(points, centroids):
    points, centroids = np.ascontiguousarray(points, dtype=float), np.ascontiguousarray(centroids, dtype=float)
    tree = NearestNeighbors(n_neighbors=1, algorithm="kd_tree").fit(centroids)
    distance, label = tree.kneighbors(points)
    return float((distance**2).sum()), label.ravel()


def agreement(points, mine, library):
    (inertia, labels), (other_inertia, other_labels) = measured(points, mine), measured(points, library)
    return (inertia - other_inertia) / other_inertia, adjusted_rand_score(labels, other_labels)
