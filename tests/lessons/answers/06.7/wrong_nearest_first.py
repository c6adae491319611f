def update(sums, counts, centroids, far_points):
    new = centroids.copy()
    new[counts > 0] = sums[counts > 0] / counts[counts > 0, None]
    empty = (counts == 0).nonzero()[0][: len(far_points)]
    new[empty] = far_points[::-1][: len(empty)]
    return new
