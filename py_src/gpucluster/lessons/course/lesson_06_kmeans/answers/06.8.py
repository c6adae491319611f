import numpy as np

# %% right b_delayed: Delayed tasks, and the distance to the nearest candidate as a running minimum.
import dask
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
    for _ in range(5):
        cost = sum(one[2] for one in run(step, [(candidates,)] * len(parts)))
        drawn = run(draw, [(candidates, 2 * k, cost, next(seeds)) for _ in parts])
        candidates = np.vstack([candidates] + drawn)
    weights = np.sum([one[1] for one in run(step, [(candidates,)] * len(parts))], axis=0)
    return shrink(candidates, weights, k, seed), candidates

# %% right lloyd_by_hand: Weighted Lloyd by hand on the few candidates; SciPy measures; the blocks answer as they are ready.
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

# %% right point_by_point
from sklearn.cluster import KMeans


def squared_to_nearest(block, candidates):
    return np.stack([((block - c) ** 2).sum(axis=1) for c in candidates], axis=1).min(axis=1)


def cost_of(block, candidates):
    return squared_to_nearest(block, candidates).sum()


def count(block, candidates):
    distances = np.stack([((block - c) ** 2).sum(axis=1) for c in candidates], axis=1)
    return np.bincount(distances.argmin(axis=1), minlength=len(candidates))


def draw(block, candidates, wanted, cost, seed):
    rng = np.random.default_rng(seed)
    rows = []
    for point, squared in zip(block, squared_to_nearest(block, candidates), strict=True):
        if rng.uniform() < wanted * squared / cost:
            rows.append(point)
    return np.reshape(rows, (len(rows), block.shape[1]))


def first_centroids(client, parts, k, seed=0):
    candidates = client.submit(lambda block: block[:1], parts[0], pure=False).result()
    for turn in range(5):
        cost = sum(client.gather(client.map(cost_of, parts, candidates=candidates, pure=False)))
        seeds = [(seed, turn, place) for place in range(len(parts))]
        drawn = [
            client.submit(draw, part, candidates, 2 * k, cost, own, pure=False)
            for part, own in zip(parts, seeds, strict=True)
        ]
        candidates = np.vstack([candidates, *client.gather(drawn)])
    weights = np.sum(client.gather(client.map(count, parts, candidates=candidates, pure=False)), axis=0)
    model = KMeans(n_clusters=k, n_init=5, random_state=0).fit(candidates, sample_weight=weights)
    return model.cluster_centers_, candidates

# %% right without_step, edit of right point_by_point
def draw(block, candidates, wanted, cost, seed):
    chance = np.minimum(1, wanted * squared_to_nearest(block, candidates) / cost)
    return block[np.random.default_rng(seed).random(len(block)) < chance]

# %% wrong all_alike, edit of right point_by_point
# fails: On average, a block gives wanted × (its share of the cost) points
def draw(block, candidates, wanted, cost, seed):
    return block[np.random.default_rng(seed).random(len(block)) < wanted / len(block)]

# %% wrong all_weights_one, edit of right without_step: The candidates are not weighted.
# fails: Each centroid is the mean of its candidates, weighted by the number of points nearest to each
# ~ fit(candidates, sample_weight=weights) => fit(candidates, sample_weight=np.ones(len(weights)))

# %% wrong own_cost, edit of right point_by_point
# fails: On average, a block gives wanted × (its share of the cost) points
def draw(block, candidates, wanted, cost, seed):
    squared = squared_to_nearest(block, candidates)
    return block[np.random.default_rng(seed).random(len(block)) < wanted * squared / squared.sum()]

# %% wrong fixed_number, edit of wrong own_cost
# fails: On average, a block gives wanted × (its share of the cost) points
# -     return block[np.random.default_rng(seed).random(len(block)) < wanted * squared / squared.sum()]
# +     return block[np.argsort(np.random.default_rng(seed).exponential(size=len(block)) / (squared + 1e-300))[:wanted]]

# %% wrong b_no_seed: The seed is not used for the draws, but 'the same seed gives the same candidates'.
# fails: Same input, same result
# ~ np.random.default_rng(seed) => np.random.default_rng()

# %% wrong b_not_squared: The probability is in proportion to D, but it is to be D².
# fails: On average, a block gives wanted × (its share of the cost) points
# ~ wanted * squared / cost => wanted * np.sqrt(squared) / cost

# %% wrong one_round, edit of right without_step
# fails: About five rounds of 2 k = 12 points each give about 61 candidates (half to twice that)
# ~ range(5) => range(1)

# %% wrong b_points_travel, edit of right b_delayed: Fetches all points and draws in the notebook; the points are to stay on the workers.
# fails: The points stay on the workers
def first_centroids(client, parts, k, seed=0):
    points = np.concatenate(client.gather(parts))
    candidates = points[:1]
    for turn in range(5):
        cost = step(points, candidates)[2]
        candidates = np.concatenate([candidates, draw(points, candidates, 2 * k, cost, [seed, turn])])
    return shrink(candidates, step(points, candidates)[1], k, seed), candidates

# %% wrong b_weights_one_block: The weights are the counts of the first block only, not of all points that are nearest.
# fails: Each centroid is the mean of its candidates, weighted by the number of points nearest to each
# ~ np.sum([one[1] for one in run(step, [(candidates,)] * len(parts))], axis=0) => run(step, [(candidates,)] * len(parts))[0][1]

# %% wrong c_one_round: One round that wants all candidates at once, after the cost of the first point alone.
# fails: Each round recomputes the cost: small groups at very different distances all get a candidate
# ~ range(5) => range(1)
# ~ 2 * k => 10 * k

# %% wrong c_two_rounds: Two rounds that want 5 k points each.
# fails: Each round recomputes the cost: small groups at very different distances all get a candidate
# ~ range(5) => range(2)
# ~ 2 * k => 5 * k

# %% wrong gathered, edit of right without_step
# fails: Each centroid is the mean of its candidates, weighted by the number of points nearest to each
def first_centroids(client, parts, k, seed=0):
    points = np.concatenate(client.gather(parts))
    model = KMeans(n_clusters=k, random_state=seed % 1000).fit(points)
    return model.cluster_centers_, points[: 10 * k]

# %% wrong seed_ignored, edit of right without_step: The seed decides nothing.
# fails: The same seed gives the same candidates, another seed others
# -         seeds = [(seed, turn, place) for place in range(len(parts))]
# +         seeds = [(turn, place) for place in range(len(parts))]

# %% wrong weights_before_the_last_round, edit of right without_step: Weights of the blocks' first candidates only; those of the last round count nothing.
# fails: Each centroid is the mean of its candidates, weighted by the number of points nearest to each
# -     weights = np.sum(client.gather(client.map(count, parts, candidates=candidates, pure=False)), axis=0)
# +     early = np.sum(client.gather(client.map(count, parts, candidates=candidates[:-8], pure=False)), axis=0)
# +     weights = np.concatenate([early, np.zeros(8)])
