"""Products of shifted points, with an array of n × k for each step."""


def assign(points, centroids):
    p, c = points - centroids[0], centroids - centroids[0]
    return ((c**2).sum(axis=1) - 2 * p @ c.T).argmin(axis=1)
