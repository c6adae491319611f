"""The seed decides nothing."""

import numpy as np
from sklearn.cluster import KMeans


def squared_to_nearest(block, candidates):
    return np.stack([((block - c) ** 2).sum(axis=1) for c in candidates], axis=1).min(axis=1)


def cost_of(block, candidates):
    return squared_to_nearest(block, candidates).sum()


def count(block, candidates):
    distances = np.stack([((block - c) ** 2).sum(axis=1) for c in candidates], axis=1)
    return np.bincount(distances.argmin(axis=1), minlength=len(candidates))


def draw(block, candidates, wanted, cost, seed):
    chance = np.minimum(1, wanted * squared_to_nearest(block, candidates) / cost)
    return block[np.random.default_rng(seed).random(len(block)) < chance]


def first_centroids(client, parts, k, seed=0):
    candidates = client.submit(lambda block: block[:1], parts[0], pure=False).result()
    for turn in range(5):
        cost = sum(client.gather(client.map(cost_of, parts, candidates=candidates, pure=False)))
        seeds = [(turn, place) for place in range(len(parts))]
        drawn = [
            client.submit(draw, part, candidates, 2 * k, cost, own, pure=False)
            for part, own in zip(parts, seeds, strict=True)
        ]
        candidates = np.vstack([candidates, *client.gather(drawn)])
    weights = np.sum(client.gather(client.map(count, parts, candidates=candidates, pure=False)), axis=0)
    model = KMeans(n_clusters=k, n_init=5, random_state=0).fit(candidates, sample_weight=weights)
    return model.cluster_centers_, candidates
