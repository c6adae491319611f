import numpy as np

# %% right loop
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

# %% right where
def update(sums, counts, centroids, far_points):
    new = np.where(counts[:, None] > 0, sums / np.maximum(counts, 1)[:, None], centroids)
    for cluster, point in zip(np.flatnonzero(counts == 0), far_points, strict=False):
        new[cluster] = point
    return new

# %% wrong all_the_same_point, edit of the solution
# fails: Each empty cluster gets its own far point, the farthest (the first) ones first
# ~ far_points[: len(empty)] => far_points[:1]

# %% wrong b_divides_sums, edit of right where: Divides the sums in place, but 'change none of the arguments'.
# fails: Inputs are not modified
# ~ sums / np.maximum(counts, 1)[:, None] => np.divide(sums, np.maximum(counts, 1)[:, None], out=sums)

# %% wrong b_in_place, edit of right where: Writes into centroids, but 'change none of the arguments'.
# fails: Inputs are not modified
# -     return new
# +     centroids[:] = new
# +     return centroids

# %% wrong b_one_point_is_none, edit of right where: A cluster with one point counts as empty, but 'a cluster with points gets their mean'.
# fails: A cluster with points gets their mean
# ~ counts[:, None] > 0 => counts[:, None] > 1
# ~ counts == 0 => counts <= 1

# %% wrong divides_by_zero
# fails: No number is NaN or infinite
def update(sums, counts, centroids, far_points):
    return sums / counts[:, None]
