import heapq

# %% right partition: argpartition in the block, which leaves the k nearest in any order; the merge sorts.
import numpy as np


def nearest_in_block(block, start, queries, k):
    k = min(k, len(block))
    distances = np.stack([np.linalg.norm(block - query, axis=1) for query in queries])
    order = np.argpartition(distances, k - 1, axis=1)[:, :k]
    return np.take_along_axis(distances, order, axis=1), order + start


def merge_nearest(found, k):
    distances, rows = found[0]
    for d, r in found[1:]:
        distances, rows = np.hstack([distances, d]), np.hstack([rows, r])
    order = distances.argsort(axis=1)[:, :k]
    lines = np.arange(len(order))[:, None]
    return distances[lines, order], rows[lines, order]

# %% right library: scikit-learn in the block, a heap for the merge.
from sklearn.neighbors import NearestNeighbors


def nearest_in_block(block, start, queries, k):
    search = NearestNeighbors(n_neighbors=min(k, len(block))).fit(block)
    distances, rows = search.kneighbors(queries)
    return distances, rows + start


def merge_nearest(found, k):
    distances, rows = [], []
    for query in range(len(found[0][0])):
        pairs = [pair for d, r in found for pair in zip(d[query].tolist(), r[query].tolist(), strict=False)]
        best = heapq.nsmallest(k, pairs)
        distances.append([d for d, _ in best])
        rows.append([r for _, r in best])
    return distances, rows

# %% right tree
from scipy.spatial import KDTree


def nearest_in_block(block, start, queries, k):
    k = min(k, len(block))
    d, i = KDTree(block).query(queries, k=range(1, k + 1))
    return d.tolist(), (i + start).tolist()


def merge_nearest(found, k):
    D, R = [], []
    for q in range(len(found[0][0])):
        best = heapq.nsmallest(k, ((float(x), int(r)) for d, rows in found for x, r in zip(d[q], rows[q], strict=True)))
        D.append([x for x, _ in best])
        R.append([r for _, r in best])
    return D, R

# %% wrong b_city_blocks: Adds up absolute differences (city blocks), which is not the distance.
# fails: They are the nearest points in the block
# ~ np.linalg.norm(block - query, axis=1) => np.abs(block - query).sum(axis=1)

# %% wrong b_needs_k_rows: Fails for a block with fewer than k rows, which has to give all it has.
# fails: It runs without an error: ValueError
# -     k = min(k, len(block))

# %% wrong b_no_start: Rows are numbered inside the block, although a row has a number among all rows.
# fails: rows are numbers among all points: a block begins at start
# ~ axis=1), order + start => axis=1), order

# %% wrong b_not_itself: Leaves out rows at distance 0, although the nearest row of a digit is itself.
# fails: They are the nearest points in the block
# -     order = np.argpartition(distances, k - 1, axis=1)[:, :k]
# +     distances[distances == 0] = np.inf
# +     order = np.argpartition(distances, k - 1, axis=1)[:, :k]

# %% wrong b_sorted_apart: Sorts distances and row numbers apart, so a row no longer belongs to its distance.
# fails: The neighbours equal those of brute force over all points, nearest first
# -     lines = np.arange(len(order))[:, None]
# -     return distances[lines, order], rows[lines, order]
# +     return np.sort(distances, axis=1)[:, :k], np.sort(rows, axis=1)[:, :k]

# %% wrong b_squared: Gives squares of distances instead of distances.
# fails: distances are Euclidean, in the order of rows
# ~ np.linalg.norm(block - query, axis=1) => np.square(block - query).sum(axis=1)

# %% wrong c_sorted_blocks_only, edit of right partition: Merges as if the neighbours of each block were in order.
# fails: The neighbours equal those of brute force over all points, nearest first
import itertools


def merge_nearest(found, k):
    distances, rows = [], []
    for query in range(len(found[0][0])):
        pairs = heapq.merge(*[list(zip(one[query], other[query], strict=True)) for one, other in found])
        best = list(itertools.islice(pairs, k))
        distances.append([pair[0] for pair in best])
        rows.append([pair[1] for pair in best])
    return np.array(distances), np.array(rows)

# %% wrong everything: All rows of the block.
# fails: A block gives the k nearest of its points for each query, or all it has where it has fewer
# ~ min(k, len(block)) => len(block)

# %% wrong first_block: Only the first block counts.
# fails: The neighbours equal those of brute force over all points, nearest first
# ~ found[1:] => found[1:1]
