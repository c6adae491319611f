"""A tree of the centroids, from SciPy."""

from scipy.spatial import KDTree


def assign(points, centroids):
    return KDTree(centroids).query(points)[1].astype("uint8")
