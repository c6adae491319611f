"""A generator of levels; a future without partner goes up as it is."""

import numpy as np
from gpucluster.lessons import as_numpy


def small_r(block):
    return as_numpy(np.linalg.qr(block, mode="r"))


def join(a, b):
    return np.linalg.qr(np.concatenate([a, b]), mode="r")


def levels_of(client, level):
    yield level
    while len(level) > 1:
        odd = level[-1:] if len(level) % 2 else []
        level = client.map(join, level[:-1:2], level[1::2], pure=False) + odd
        yield level


def tall_svd(client, parts):
    tree = list(levels_of(client, [client.submit(small_r, part, pure=False) for part in parts]))
    [R] = client.gather(tree[-1])
    values, Vt = np.linalg.svd(R)[1:]
    return values, Vt, list(map(len, tree))
