def update(sums, counts, centroids, far_points):
    return sums / counts[:, None]
