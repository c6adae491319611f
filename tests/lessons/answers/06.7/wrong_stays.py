def update(sums, counts, centroids, far_points):
    new = centroids.copy()
    new[counts > 0] = sums[counts > 0] / counts[counts > 0, None]
    return new
