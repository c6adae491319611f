import numpy as np

# %% right add_at: Add each point to its row.
def partial(points, labels, centroids):
    sums, counts = np.zeros_like(centroids), np.zeros(len(centroids), dtype=int)
    np.add.at(sums, labels, points)
    np.add.at(counts, labels, 1)
    difference = points - centroids[labels]
    return sums, counts, np.vdot(difference, difference)

# %% right one_hot: Membership as a matrix, and sums as a product.
def partial(points, labels, centroids):
    member = np.equal.outer(np.arange(len(centroids)), labels).astype(float)
    return [member @ points, member.sum(axis=1), float(np.square(points - centroids[labels]).sum())]

# %% wrong b_at_least_one: Empty clusters get the count 1 to avoid a division by 0, but '0 where it has none' is required.
# fails: Each point is counted once
# ~ sums, counts, np => sums, np.maximum(counts, 1), np

# %% wrong b_buffered: Sums[labels] += points adds only the last point of each cluster, not the sum.
# fails: The sums add up to the sum of all points
# ~ np.add.at(sums, labels, points) => sums[labels] += points

# %% wrong b_mean_inertia: Inertia is the mean of the squared distances, which does not add up.
# fails: Inertia is the sum of the squared distances of the points to their own centroid
# ~ counts, np.vdot(difference, difference) => counts, (difference**2).sum(axis=1).mean()

# %% wrong b_no_minlength, edit of right add_at: Counts are shorter than k if the last clusters have no points, but k counts are asked.
# fails: counts has one number per centroid, even for one without points
def partial(points, labels, centroids):
    sums = np.array([points[labels == j].sum(axis=0) for j in range(len(centroids))])
    counts = np.bincount(labels)
    inertia = ((points - centroids[labels]) ** 2).sum()
    return sums, counts, inertia

# %% wrong b_root: Inertia adds up distances that are not squared.
# fails: Inertia is the sum of the squared distances of the points to their own centroid
# ~ np.vdot(difference, difference) => np.linalg.norm(difference, axis=1).sum()

# %% wrong b_unique, edit of right one_hot: Only the labels that occur get a row, but a cluster has 0 'where it has none'.
# fails: sums has one row per centroid and one column per feature
# ~ np.arange(len(centroids)) => np.unique(labels)

# %% wrong last_point_lost: A range that ends one too early.
# fails: Each point is counted once
# - def partial(points, labels, centroids):
# + def partial(points, labels, centroids):
# +     points, labels = points[:-1], labels[:-1]

# %% wrong no_return, edit of right add_at: Everything computed, nothing returned.
# fails: It returns a result
def partial(points, labels, centroids):
    np.bincount(labels, minlength=len(centroids))

# %% wrong zeroes_its_inputs, edit of right add_at: All zero, and so are the inputs afterwards: right only by the inputs that it leaves behind.
# fails: Inputs are not modified
def partial(points, labels, centroids):
    points[:] = 0
    centroids[:] = 0
    return np.zeros_like(centroids), np.bincount(labels, minlength=len(centroids)), 0.0
