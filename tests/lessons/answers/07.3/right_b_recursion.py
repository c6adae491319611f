"""A block is halved until it is small, and its halves are merged with merge."""

import numpy as np


def block_moments(block):
    if len(block) > 512:
        middle = len(block) // 2
        return merge(block_moments(block[:middle]), block_moments(block[middle:]))
    wide = np.asarray(block, dtype=np.float64)
    mean = wide.sum(axis=0) / len(wide)
    return len(wide), mean, np.einsum("ij,ik->jk", wide - mean, wide - mean)


def merge(a, b):
    n = a[0] + b[0]
    delta = b[1] - a[1]
    share = b[0] / n
    return n, a[1] + share * delta, a[2] + b[2] + a[0] * share * delta[:, None] * delta
