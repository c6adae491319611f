"""Weighted Lloyd by hand on the few candidates; SciPy measures; the blocks answer as they are ready."""

import numpy as np
from distributed import as_completed
from scipy.spatial.distance import cdist


def draw(block, candidates, wanted, cost, seed):
    own = cdist(block, candidates, "sqeuclidean").min(axis=1)
    return np.array(block, dtype=float)[np.random.default_rng(seed).random(len(block)) * cost < wanted * own]


def look(block, candidates):
    squared = cdist(block, candidates, "sqeuclidean")
    return squared.min(axis=1).sum(), np.bincount(squared.argmin(axis=1), minlength=len(candidates))


def first_centroids(client, parts, k, seed=0):
    candidates = client.submit(lambda block: block[[0]], parts[0], pure=False).result()
    for turn in range(6):
        looks = [future.result() for future in as_completed(client.map(look, parts, candidates=candidates, pure=False))]
        cost, weights = (sum(values) for values in zip(*looks, strict=True))
        if turn < 5:
            futures = [
                client.submit(draw, part, candidates, 2 * k, cost, hash((seed, turn, place)) % 2**32, pure=False)
                for place, part in enumerate(parts)
            ]
            candidates = np.concatenate([candidates, *(future.result() for future in futures)])
    best = None
    rng = np.random.default_rng(seed)
    for _ in range(20):
        centroids = candidates[[rng.integers(len(candidates))]]
        while len(centroids) < k:
            chance = weights * cdist(candidates, centroids, "sqeuclidean").min(axis=1)
            centroids = np.vstack([centroids, candidates[rng.choice(len(candidates), p=chance / chance.sum())]])
        for _ in range(50):
            own = cdist(candidates, centroids).argmin(axis=1)
            centroids = np.array([
                np.average(candidates[own == j], axis=0, weights=weights[own == j]) if weights[own == j].any() else c
                for j, c in enumerate(centroids)
            ])  # fmt: skip
        value = (weights * cdist(candidates, centroids, "sqeuclidean").min(axis=1)).sum()
        if best is None or value < best[0]:
            best = value, centroids
    return best[1], candidates
