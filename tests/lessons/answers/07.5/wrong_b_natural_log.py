"""Wrong: the natural logarithm, but log₁₀ is in the formula."""

import numpy as np


def reconstruct(rows, mean, components):
    return mean + (rows - mean) @ components.T @ components


def psnr(original, copy):
    error = np.mean((np.asarray(original, dtype=float) - copy) ** 2)
    return float(10 * np.log(1 / error)) if error > 0 else float("inf")


quality = {4: 44.1457, 16: 48.2253, 64: 54.5962}
