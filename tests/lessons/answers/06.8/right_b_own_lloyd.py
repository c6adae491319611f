"""The few weighted candidates are clustered by a small k-means in NumPy, after a weighted k-means++."""

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
    chance = np.random.default_rng(seed).random(len(block))
    return as_numpy(block)[chance * cost < wanted * squared]


def own_shrink(candidates, weights, k, seed):
    rng = np.random.default_rng(seed)
    best = None
    for _ in range(5):
        chosen = [candidates[rng.choice(len(candidates), p=weights / weights.sum())]]
        while len(chosen) < k:
            squared = np.min([((candidates - c) ** 2).sum(axis=1) for c in chosen], axis=0) * weights
            chosen.append(candidates[rng.choice(len(candidates), p=squared / squared.sum())])
        centroids, labels = np.array(chosen), None
        while True:
            now = assign(candidates, centroids)
            if labels is not None and (now == labels).all():
                break
            labels = now
            for j in range(k):
                mine = labels == j
                if weights[mine].sum() > 0:
                    centroids[j] = np.average(candidates[mine], axis=0, weights=weights[mine])
        cost = (weights * ((candidates - centroids[labels]) ** 2).sum(axis=1)).sum()
        if best is None or cost < best[0]:
            best = cost, centroids
    return best[1]


def first_centroids(client, parts, k, seed=0):
    candidates = np.asarray(client.submit(lambda block: as_numpy(block[:1]), parts[0]).result(), dtype=float)
    for turn in range(5):
        cost = sum(r[2] for r in client.gather([client.submit(step, part, candidates, pure=False) for part in parts]))
        seeds = [(seed, turn, i) for i in range(len(parts))]
        n = len(parts)
        drawn = client.map(draw, parts, [candidates] * n, [2 * k] * n, [cost] * n, seeds, pure=False)
        candidates = np.concatenate([candidates] + client.gather(drawn))
    weights = sum(r[1] for r in client.gather([client.submit(step, part, candidates, pure=False) for part in parts]))
    return own_shrink(candidates, weights, k, seed), candidates
