"""A new seed for each block and round by a running number, with the start point from the seed as well."""

import numpy as np
from gpucluster.lessons import as_numpy
from scipy.spatial.distance import cdist
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
    rows = as_numpy(block)
    nearest = cdist(rows, candidates).min(axis=1, initial=np.inf) if len(rows) else []
    random = np.random.default_rng(seed).random(len(rows))
    chosen = [row for row, distance, u in zip(rows, nearest, random) if u * cost < wanted * distance**2]
    return np.array(chosen, dtype=rows.dtype).reshape(-1, rows.shape[1])


def pick(block, seed):
    return as_numpy(block[int(np.random.default_rng(seed).integers(len(block)))][None])


def first_centroids(client, parts, k, seed=0):
    candidates = client.submit(pick, parts[0], seed).result()
    number = 1_000_003 * seed
    for _ in range(5):
        cost = sum(
            client.gather(client.map(lambda block, c: step(block, c)[2], parts, [candidates] * len(parts), pure=False))
        )
        futures = []
        for part in parts:
            number += 1
            futures.append(client.submit(draw, part, candidates, 2 * k, cost, number, pure=False))
        candidates = np.concatenate([candidates] + client.gather(futures))
    weights = sum(
        client.gather(client.map(lambda block, c: step(block, c)[1], parts, [candidates] * len(parts), pure=False))
    )
    return shrink(candidates, weights, k, seed), candidates
