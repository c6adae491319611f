"""Wrong: the peak is 255, but the values are from 0 to 1."""

import numpy as np


def reconstruct(rows, mean, components):
    return mean + (rows - mean) @ components.T @ components


def psnr(original, copy):
    error = np.mean((np.asarray(original, dtype=float) - copy) ** 2)
    return float(10 * np.log10(255**2 / error)) if error > 0 else float("inf")


quality = {4: 67.3030, 16: 69.0748, 64: 71.8416}
