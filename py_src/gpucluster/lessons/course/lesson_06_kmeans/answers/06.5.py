import numpy as np


def step(block, centroids):
    distances = np.stack([((block - c) ** 2).sum(axis=1) for c in centroids], axis=1)
    labels = distances.argmin(axis=1)
    k = len(centroids)
    sums = np.stack([np.bincount(labels, block[:, j], k) for j in range(block.shape[1])], axis=1)
    return sums, np.bincount(labels, minlength=k), distances.min(axis=1).sum()

# %% right delayed: Dask's delayed, merged in the notebook.
import dask


def kmeans(client, parts, start, tolerance, max_iterations, step=step):
    centroids, path, inertias = start, [start], []
    for _ in range(max_iterations):
        lazy = [dask.delayed(step, pure=False)(part, centroids) for part in parts]
        results = client.gather(client.compute(lazy))
        inertias.append(sum(result[2] for result in results))
        counts = sum(result[1] for result in results)
        sums, centroids = sum(result[0] for result in results), centroids.copy()
        centroids[counts > 0] = sums[counts > 0] / counts[counts > 0, None]
        path.append(centroids)
        if np.allclose(path[-1], path[-2], rtol=0, atol=tolerance):
            break
    return path, inertias

# %% right as_completed: Merge in the order in which the blocks are ready.
from distributed import as_completed


def kmeans(client, parts, start, tolerance, max_iterations, step=step):
    path, inertias = [start], []
    for _ in range(max_iterations):
        sums, counts, inertia = np.zeros_like(start), np.zeros(len(start)), 0.0
        for future in as_completed(client.map(step, parts, centroids=path[-1], pure=False)):
            one = future.result()
            sums += one[0]
            counts += one[1]
            inertia += one[2]
        inertias.append(inertia)
        path.append(np.where(counts[:, None] > 0, sums / np.maximum(counts, 1)[:, None], path[-1]))
        if np.abs(path[-1] - path[-2]).max() <= tolerance:
            break
    return path, inertias

# %% right merged_on_a_worker: A worker merges; arrays instead of lists; stops when the inertia stands still.
def merge(results):
    return tuple(sum(values) for values in zip(*results, strict=True))


def kmeans(client, parts, start, tolerance, max_iterations, step=step):
    path, inertias = np.array([start]), np.array([])
    while len(inertias) < max_iterations:
        partials = [client.submit(step, part, path[-1], pure=False) for part in parts]
        sums, counts, inertia = client.submit(merge, partials, pure=False).result()
        inertias = np.append(inertias, inertia)
        new = [total / count if count else old for total, count, old in zip(sums, counts, path[-1], strict=True)]
        path = np.append(path, [new], axis=0)
        if np.array_equal(path[-1], path[-2]) or np.abs(path[-1] - path[-2]).max() < tolerance:
            break
    return path, inertias

# %% wrong b_any_stands: Stops as soon as one coordinate stands still, but 'no coordinate' may move.
# fails: It stops after the first step in which no coordinate moves by more than tolerance
# fails: It continues until the centroids stop moving
# ~ allclose(path[-1], path[-2], rtol=0, atol=tolerance) => isclose(path[-1], path[-2], rtol=0, atol=tolerance).any()

# %% wrong b_extra_inertia: Adds the inertia of the last centroids as well, but there is 'none for the last entry of path'.
# fails: There is one inertia per iteration: one less than entries in path
# -     return path, inertias
# +     last = client.gather(client.map(step, parts, centroids=centroids, pure=False))
# +     return path, [*inertias, sum(result[2] for result in last)]

# %% wrong b_inertia_stop: Stops when the inertia changes by less than tolerance, but coordinates decide.
# fails: It stops after the first step in which no coordinate moves by more than tolerance
# -         if np.allclose(path[-1], path[-2], rtol=0, atol=tolerance):
# +         if len(inertias) > 1 and abs(inertias[-2] - inertias[-1]) <= tolerance * inertias[-2]:

# %% wrong b_mean_of_means: Takes the mean of the means of the blocks; sums and counts are to be merged.
# fails: It continues until the centroids stop moving
# -         sums, centroids = sum(result[0] for result in results), centroids.copy()
# -         centroids[counts > 0] = sums[counts > 0] / counts[counts > 0, None]
# +         means = [np.where(c[:, None] > 0, s / np.maximum(c, 1)[:, None], centroids) for s, c, _ in results]
# +         centroids = np.mean(means, axis=0)

# %% wrong b_one_short: One iteration less than max_iterations, because the start is counted as one.
# fails: It makes at most max_iterations iterations
# ~ range(max_iterations) => range(1, max_iterations)

# %% wrong b_points_travel: Fetches the blocks and does all steps in the notebook, but step is to run on the blocks where they are.
# fails: The points stay on the workers: only small results travel
# -         lazy = [dask.delayed(step, pure=False)(part, centroids) for part in parts]
# -         results = client.gather(client.compute(lazy))
# +         results = [step(block, centroids) for block in client.gather(parts)]

# %% wrong b_same_array: One array is changed in place, so start is changed and path has the last centroids everywhere.
# fails: Inputs are not modified
# ~ sums, centroids = sum => sums, old = sum
# ~ path[-1], path[-2] => centroids, old

# %% wrong goes_on_for_ever: Does not look at max_iterations.
# fails: It makes at most max_iterations iterations
# ~ range(max_iterations) => range(200)

# %% wrong hard_coded, edit of right delayed: The start is the answer.
# fails: inertias[i] is the inertia of path[i] over all points
def kmeans(client, parts, start, tolerance, max_iterations, step=step):
    return [start, start], [1.0]

# %% wrong mean_movement, edit of right as_completed: Stops by the mean movement instead of the largest.
# fails: It stops after the first step in which no coordinate moves by more than tolerance
# ~ np.where(counts[:, None] > 0, sums / np.maximum(counts, 1)[:, None], path[-1]) => sums / counts[:, None]
# ~ [-2]).max( => [-2]).mean(

# %% wrong nan_for_empty: A centroid without points becomes NaN.
# fails: All numbers are finite
# ~ centroids[counts > 0] = sums[counts > 0] / counts[counts > 0, None] => centroids = sums / counts[:, None]

# %% wrong one_inertia: The inertia of one part only.
# fails: inertias[i] is the inertia of path[i] over all points
# ~ sum(result[2] for result in results) => results[0][2]

# %% wrong one_iteration_too_many: One iteration more than allowed.
# fails: It makes at most max_iterations iterations
# ~ range(max_iterations): => range(max_iterations + 1):

# %% wrong one_task: One task gets all blocks.
# fails: Each block has its own task
# -         lazy = [dask.delayed(step, pure=False)(part, centroids) for part in parts]
# -         results = client.gather(client.compute(lazy))
# +         def all_steps(blocks, centroids):
# +             return tuple(sum(values) for values in zip(*[step(block, centroids) for block in blocks], strict=True))
# +
# +         results = [client.submit(all_steps, parts, centroids, pure=False).result()]

# %% wrong only_centroids: Not what was asked for.
# fails: It returns two values: path and inertias
# ~ return path, inertias => return path[-1]

# %% wrong own_step: Another step than its own changes nothing.
# fails: It uses the given step, on each block separately
# ~ step=step => step=None
# ~ step, pure => own_step, pure
own_step = step

# %% wrong same_array, edit of wrong b_same_array: One array, changed in place: path holds it many times.
# fails: path starts with the initial centroids
# -     centroids, path, inertias = start, [start], []
# +     centroids = start.copy()
# +     path, inertias = [centroids], []

# %% wrong zero_for_empty: A centroid without points goes to zero.
# fails: A centroid without points stays where it is
# ~ centroids[counts > 0] = sums[counts > 0] / counts[counts > 0 => centroids = sums / np.maximum(counts, 1)[:
