def update(sums, counts, centroids, far_points):
    new = centroids.copy()
    new[counts > 0] = sums[counts > 0] / counts[counts > 0, None]
    if len(far_points):
        new[counts == 0] = far_points[0]
    return new
