"""Wrong: one round that wants all candidates at once, after the cost of the first point alone."""

import dask
import numpy as np
from gpucluster.lessons import as_numpy
from sklearn.cluster import KMeans as OneProcess


def assign(points, centroids):
    best = np.full(len(points), np.inf)
    labels = np.zeros(len(points), dtype=int)
    for number, centroid in enumerate(centroids):
        squared = ((points - centroid) ** 2).sum(axis=1)
        closer = squared < best
        labels[closer] = number
        best[closer] = squared[closer]
    return labels


def partial(points, labels, centroids):
    k = len(centroids)
    sums = np.zeros(centroids.shape)
    for number in range(k):
        sums[number] = points[labels == number].sum(axis=0)
    counts = np.bincount(labels, minlength=k)
    inertia = float(((points - centroids[labels]) ** 2).sum())
    return sums, counts, inertia


def step(block, centroids):
    centroids = np.asarray(centroids, like=block)
    labels = assign(block, centroids)
    return as_numpy(partial(block, labels, centroids))


def first_point(block):
    return as_numpy(block[:1])


def shrink(candidates, weights, k, seed):
    few = OneProcess(n_clusters=k, n_init=5, random_state=seed).fit(candidates, sample_weight=weights)
    return few.cluster_centers_


def draw(block, candidates, wanted, cost, seed):
    block = as_numpy(block)
    squared = np.full(len(block), np.inf)
    for candidate in candidates:
        squared = np.minimum(squared, np.square(block - candidate).sum(axis=1))
    yes = (
        np.random.default_rng(seed).random(len(block)) < wanted * squared / cost
        if cost > 0
        else np.zeros(len(block), bool)
    )
    return block[yes]


def first_centroids(client, parts, k, seed=0):
    def run(function, arguments):
        tasks = [dask.delayed(function, pure=False)(part, *more) for part, more in zip(parts, arguments)]
        return client.gather(client.compute(tasks))

    candidates = run(first_point, [()] * len(parts))[0]
    seeds = iter(np.random.SeedSequence(seed).generate_state(5 * len(parts)).tolist())
    for _ in range(1):
        cost = sum(one[2] for one in run(step, [(candidates,)] * len(parts)))
        drawn = run(draw, [(candidates, 10 * k, cost, next(seeds)) for _ in parts])
        candidates = np.vstack([candidates] + drawn)
    weights = np.sum([one[1] for one in run(step, [(candidates,)] * len(parts))], axis=0)
    return shrink(candidates, weights, k, seed), candidates
