"""scikit-learn in the block, a heap for the merge."""

import heapq

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
