import numpy as np


def nearest(points, centroids):
    return ((points[:, None, :] - centroids[None, :, :]) ** 2).sum(axis=2).argmin(axis=1)

# %% right three_calls
def kmeans_on_ranks(comm, points, start, tolerance=1e-3, max_iterations=200):
    path, inertias = [start], []
    while len(inertias) < max_iterations:
        old = path[-1]
        labels = nearest(points, old)
        sums = np.zeros_like(old)
        np.add.at(sums, labels, points)
        counts = np.bincount(labels, minlength=len(old)).astype(float)
        sums, counts = comm.allreduce(sums), comm.allreduce(counts)
        inertias.append(comm.allreduce(float(((points - old[labels]) ** 2).sum())))
        path.append(np.where(counts[:, None] > 0, sums / np.maximum(counts, 1)[:, None], old))
        if np.abs(path[-1] - old).max() <= tolerance:
            return path, inertias
    return path, inertias

# %% right flat_array
def kmeans_on_ranks(comm, points, start, tolerance=1e-3, max_iterations=200):
    path, inertias = [start], []
    for _ in range(max_iterations):
        old = path[-1]
        labels = nearest(points, old)
        flat = np.zeros(old.size + len(old) + 1)
        for label, point in zip(labels, points, strict=True):
            flat[label * old.shape[1] : (label + 1) * old.shape[1]] += point
        flat[old.size : -1] = np.bincount(labels, minlength=len(old))
        flat[-1] = ((points - old[labels]) ** 2).sum()
        flat = comm.allreduce(flat)
        sums, counts = flat[: old.size].reshape(old.shape), flat[old.size : -1]
        inertias.append(flat[-1])
        path.append(np.where(counts[:, None] > 0, sums / np.maximum(counts, 1)[:, None], old))
        if np.abs(path[-1] - old).max() <= tolerance:
            break
    return path, inertias

# %% right one_tuple
def kmeans_on_ranks(comm, points, start, tolerance=1e-3, max_iterations=200):
    path, inertias = [start], []
    for _ in range(max_iterations):
        old = path[-1]
        labels = nearest(points, old)
        one_hot = np.eye(len(old))[labels]
        mine = one_hot.T @ points, one_hot.sum(axis=0), float(((points - old[labels]) ** 2).sum())
        sums, counts, inertia = comm.allreduce(mine)
        new = np.array([sums[j] / counts[j] if counts[j] else old[j] for j in range(len(old))])
        path.append(new)
        inertias.append(inertia)
        if abs(new - old).max() <= tolerance:
            break
    return path, inertias

# %% wrong b_empty_zero: A centroid without points becomes 0 instead of staying where it is.
# fails: A centroid without points stays where it is
# ~ np.where(counts[:, None] > 0, sums / np.maximum(counts, 1)[:, None], old) => sums / np.maximum(counts, 1)[:, None]

# %% wrong b_last_missing: Leaves the loop before the last centroids are in path, not the rules of 06.5.
# fails: There is one inertia per iteration: one less than entries in path
# ~ path.append(np.where( => new = (np.where(
# ~ path[-1] - old => new - old
# -             return path, inertias
# +             return path, inertias
# +         path.append(new)

# %% wrong b_means_travel: Gives means and counts of 1 to allreduce, that is the mean of means.
# fails: The centroids equal those of a serial loop over all points, for any number of ranks
# -         sums, counts = comm.allreduce(sums), comm.allreduce(counts)
# +         sums = comm.allreduce(sums / np.maximum(counts, 1)[:, None])
# +         counts = comm.allreduce((counts > 0).astype(float))

# %% wrong b_no_allreduce: Each rank finds centroids of its own points, nothing is added up over the ranks.
# fails: All ranks return the same centroids, bit by bit
# ~ comm.allreduce(float(((points - old[labels]) ** 2).sum())) => float(((points - old[labels]) ** 2).sum())
# -         sums, counts = comm.allreduce(sums), comm.allreduce(counts)

# %% wrong b_own_inertia: The inertia is that of the rank's own points, but the result is 'the same on every rank'.
# fails: inertias[0] is the inertia of the start over all points
# ~ comm.allreduce(float(((points - old[labels]) ** 2).sum())) => float(((points - old[labels]) ** 2).sum())

# %% wrong b_start_changed: Moves the centroids in place, so start is changed and path has one array many times.
# fails: Inputs are not modified
# -         path.append(np.where(counts[:, None] > 0, sums / np.maximum(counts, 1)[:, None], old))
# -         if np.abs(path[-1] - old).max() <= tolerance:
# +         before = old.copy()
# +         old[:] = np.where(counts[:, None] > 0, sums / np.maximum(counts, 1)[:, None], before)
# +         path.append(old)
# +         if np.abs(old - before).max() <= tolerance:

# %% wrong empty_rank_leaves, edit of right one_tuple: A rank without points does not take part.
# fails: It runs on several ranks without an error
# -     path, inertias = [start], []
# +     path, inertias = [start], []
# +     if len(points) == 0:
# +         return path, inertias

# %% wrong goes_on_for_ever: Does not look at max_iterations.
# fails: It makes at most max_iterations iterations
# ~ len(inertias) < max_iterations => True

# %% wrong nan_for_empty: A centroid without points becomes NaN.
# fails: All numbers are finite
# ~ np.where(counts[:, None] > 0, sums / np.maximum(counts, 1)[:, None], old) => sums / counts[:, None]

# %% wrong points_travel
# fails: A rank contributes 8 k (d + 1) = 160 bytes per iteration, and at most 64 more (the inertia)
# -         old = path[-1]
# +         comm.allgather(points)
# +         old = path[-1]

# %% wrong stops_from_its_own_means: Stops when the means of its own points stand still.
# fails: It runs on several ranks without an error
# ~ inertias = [start], [] => inertias, mine = [start], [], start
# ~ path[-1] - old => mine - before
# -         sums, counts = comm.allreduce(sums), comm.allreduce(counts)
# +         before, mine = mine, np.where(counts[:, None] > 0, sums / np.maximum(counts, 1)[:, None], old)
# +         sums, counts = comm.allreduce(sums), comm.allreduce(counts)

# %% wrong tolerance_ignored
# fails: It stops after the first step in which no coordinate moves by more than tolerance
# ~ max() <= tolerance: => max() <= 1e-9:
