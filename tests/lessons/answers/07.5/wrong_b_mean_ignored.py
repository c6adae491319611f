"""Wrong: the mean is not used at all, but the coordinates are (x − mean) · component."""

import numpy as np


def reconstruct(rows, mean, components):
    return rows @ components.T @ components


def psnr(original, copy):
    error = np.mean((np.asarray(original, dtype=float) - copy) ** 2)
    return float(10 * np.log10(1 / error)) if error > 0 else float("inf")


quality = {4: 18.9000, 16: 20.9421, 64: 23.7101}
