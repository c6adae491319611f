"""Right: plain Python with heapq, one query at a time."""

import heapq
import math

import numpy as np


def nearest_in_block(block, start, queries, k):
    distances, rows = [], []
    for query in queries:
        pairs = ((math.dist(query, row), start + number) for number, row in enumerate(block))
        best = heapq.nsmallest(k, pairs)
        distances.append([distance for distance, _ in best])
        rows.append([row for _, row in best])
    n = min(k, len(block))
    return np.array(distances, dtype=float).reshape(len(queries), n), np.array(rows, dtype=int).reshape(len(queries), n)


def merge_nearest(found, k):
    lists = []
    for query in range(len(found[0][0])):
        each = [list(zip(distances[query], rows[query])) for distances, rows in found]
        lists.append(sorted(pair for pairs in each for pair in pairs)[:k])
    distances = np.array([[float(distance) for distance, _ in pairs] for pairs in lists])
    return distances, np.array([[int(row) for _, row in pairs] for pairs in lists])
