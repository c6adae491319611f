"""Wrong: the index is raised before it is used, so the farthest point is never given."""


def update(sums, counts, centroids, far_points):
    new, used = centroids.astype(float), 0
    for j, count in enumerate(counts):
        if count > 0:
            new[j] = sums[j] / count
        else:
            used += 1
            if used < len(far_points):
                new[j] = far_points[used]
    return new
