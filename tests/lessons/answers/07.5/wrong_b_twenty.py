"""Wrong: 20 times the logarithm of the squared error, but 10 is in the formula."""

import numpy as np


def reconstruct(rows, mean, components):
    return mean + (rows - mean) @ components.T @ components


def psnr(original, copy):
    error = np.mean((np.asarray(original, dtype=float) - copy) ** 2)
    return float(20 * np.log10(1 / error)) if error > 0 else float("inf")


quality = {4: 38.3445, 16: 41.8879, 64: 47.4216}
