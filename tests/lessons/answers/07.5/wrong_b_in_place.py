"""Wrong: subtracts the mean in the rows that were given, which it is to leave as they were."""

import numpy as np


def reconstruct(rows, mean, components):
    rows -= mean
    coordinates = rows @ components.T
    return coordinates @ components + mean


def psnr(original, copy):
    error = np.mean((np.asarray(original, dtype=float) - copy) ** 2)
    return float(10 * np.log10(1 / error)) if error > 0 else float("inf")


quality = {4: 19.1722, 16: 20.9440, 64: 23.7108}
