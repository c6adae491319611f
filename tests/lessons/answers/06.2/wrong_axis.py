"""For each centroid the nearest point."""


def assign(points, centroids):
    return ((centroids**2).sum(axis=1) - 2 * points @ centroids.T).argmin(axis=0)
