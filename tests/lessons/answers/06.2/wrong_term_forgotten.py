"""The length of the centroids is not the same for all of them."""


def assign(points, centroids):
    return (-2 * points @ centroids.T).argmin(axis=1)
