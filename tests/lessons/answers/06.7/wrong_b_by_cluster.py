"""Wrong: takes the far point with the cluster's number, but 'the next of far_points' is asked."""


def update(sums, counts, centroids, far_points):
    new = centroids.astype(float)
    for j in range(len(counts)):
        if counts[j] > 0:
            new[j] = sums[j] / counts[j]
        elif j < len(far_points):
            new[j] = far_points[j]
    return new
