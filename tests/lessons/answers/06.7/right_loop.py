def update(sums, counts, centroids, far_points):
    left = list(far_points)
    new = []
    for total, count, old in zip(sums, counts, centroids, strict=True):
        if count:
            new.append(total / count)
        elif left:
            new.append(left.pop(0))
        else:
            new.append(old)
    return new
