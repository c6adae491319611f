import numpy as np
from scipy.spatial.distance import cdist


def nearest_in_block(block, start, queries, k):
    d = cdist(queries, block)
    rows = np.argsort(d, axis=1)[:, :k]
    return np.take_along_axis(d, rows, 1), rows + start


def merge_nearest(found, k):
    d, r = found.pop()
    while found:
        e, s = found.pop()
        d, r = np.hstack([d, e]), np.hstack([r, s])
    o = np.argsort(d, 1)[:, :k]
    return np.take_along_axis(d, o, 1), np.take_along_axis(r, o, 1)
