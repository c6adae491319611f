"""Wrong: each block divides by its own cost and not by the cost that is given."""

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
    candidates = np.asarray(candidates, like=block)
    labels = assign(block, candidates)
    squared = as_numpy(((block - candidates[labels]) ** 2).sum(axis=1))
    cost = squared.sum()
    chance = np.random.default_rng(seed).random(len(block))
    return as_numpy(block)[chance * cost < wanted * squared]


def first_centroids(client, parts, k, seed=0):
    candidates = client.submit(first_point, parts[0]).result()
    for turn in range(5):
        results = client.gather([client.submit(step, part, candidates, pure=False) for part in parts])
        cost = sum(inertia for _, _, inertia in results)
        seeds = [[seed, turn, number] for number in range(len(parts))]
        futures = [
            client.submit(draw, part, candidates, 2 * k, cost, one, pure=False) for part, one in zip(parts, seeds)
        ]
        candidates = np.concatenate([candidates, *client.gather(futures)])
    results = client.gather([client.submit(step, part, candidates, pure=False) for part in parts])
    weights = sum(counts for _, counts, _ in results)
    return shrink(candidates, weights, k, seed), candidates
