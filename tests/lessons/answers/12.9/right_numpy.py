import numpy as np


def staged_seconds(n_bytes, piece, stages):
    starts = np.arange(0, n_bytes, piece)
    sizes = np.minimum(piece, n_bytes - starts)
    arrived = np.zeros(len(sizes))
    for startup, speed in stages:
        cost = startup + sizes / speed
        total = np.cumsum(cost)
        arrived = total + np.maximum.accumulate(arrived - (total - cost))
    return arrived[-1]
