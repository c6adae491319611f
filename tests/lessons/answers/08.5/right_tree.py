import heapq

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
