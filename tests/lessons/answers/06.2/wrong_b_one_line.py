"""Wrong: the line of the text that holds n by k by d numbers, which it is never to hold."""


def assign(points, centroids):
    return ((points[:, None, :] - centroids[None, :, :]) ** 2).sum(axis=2).argmin(axis=1)
