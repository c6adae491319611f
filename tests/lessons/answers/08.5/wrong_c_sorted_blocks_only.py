"""Wrong: merges as if the neighbours of each block were in order."""

import heapq
import itertools

import numpy as np


def nearest_in_block(block, start, queries, k):
    distances = np.sqrt(((queries[:, None, :] - block[None, :, :]) ** 2).sum(axis=2))
    order = np.argsort(distances, axis=1)[:, :k]
    return np.take_along_axis(distances, order, axis=1), order + start


def merge_nearest(found, k):
    distances, rows = [], []
    for query in range(len(found[0][0])):
        pairs = heapq.merge(*[list(zip(one[query], other[query], strict=True)) for one, other in found])
        best = list(itertools.islice(pairs, k))
        distances.append([pair[0] for pair in best])
        rows.append([pair[1] for pair in best])
    return np.array(distances), np.array(rows)
