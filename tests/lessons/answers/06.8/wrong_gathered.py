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
    points = np.concatenate(client.gather(parts))
    model = KMeans(n_clusters=k, random_state=seed % 1000).fit(points)
    return model.cluster_centers_, points[: 10 * k]
