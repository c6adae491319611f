"""Wrong: two R are added, but their stack is to be decomposed."""

import numpy as np
from gpucluster.lessons import as_numpy


def small_r(block):
    return as_numpy(np.linalg.qr(block, mode="r"))


def join(a, b):
    return a + b


def tall_svd(client, parts):
    level = client.map(small_r, parts, pure=False)
    levels = [len(level)]
    while len(level) > 1:
        joined = [client.submit(join, a, b, pure=False) for a, b in zip(level[::2], level[1::2])]
        level = joined + level[2 * len(joined) :]
        levels.append(len(level))
    _, values, Vt = np.linalg.svd(level[0].result())
    return values, Vt, levels
