"""Recursion over the levels of futures, with scipy for the last step."""

import numpy as np
from gpucluster.lessons import as_numpy
from scipy import linalg


def small_r(block):
    return as_numpy(np.linalg.qr(block, mode="r"))


def join(a, b):
    return np.linalg.qr(np.concatenate([a, b]), mode="r")


def tall_svd(client, parts):
    def up(futures):
        if len(futures) == 1:
            return futures[0], [1]
        pairs = [futures[i : i + 2] for i in range(0, len(futures), 2)]
        above = [pair[0] if len(pair) == 1 else client.submit(join, *pair, pure=False) for pair in pairs]
        top, levels = up(above)
        return top, [len(futures)] + levels

    top, levels = up([client.submit(small_r, part, pure=False) for part in parts])
    _, values, Vt = linalg.svd(top.result(), full_matrices=True)
    return values, Vt, levels
