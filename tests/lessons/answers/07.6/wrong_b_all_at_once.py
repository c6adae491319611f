"""Wrong: all R come to the notebook at once, but pairs are to be joined until one is left."""

import numpy as np
from gpucluster.lessons import as_numpy


def small_r(block):
    return as_numpy(np.linalg.qr(block, mode="r"))


def join(a, b):
    return np.linalg.qr(np.concatenate([a, b]), mode="r")


def tall_svd(client, parts):
    several = client.gather(client.map(small_r, parts, pure=False))
    _, values, Vt = np.linalg.svd(np.vstack(several), full_matrices=False)
    return values, Vt, [len(parts), 1]
