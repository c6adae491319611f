def update(sums, counts, centroids, far_points):
    centroids[counts > 0] = sums[counts > 0] / counts[counts > 0, None]
    empty = (counts == 0).nonzero()[0][: len(far_points)]
    centroids[empty] = far_points[: len(empty)]
    return centroids
