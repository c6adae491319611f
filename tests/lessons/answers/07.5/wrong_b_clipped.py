"""Wrong: cuts the numbers to 0 to 1, but the rows are asked 'as they come back from their coordinates'."""

import numpy as np


def reconstruct(rows, mean, components):
    return np.clip(mean + (rows - mean) @ components.T @ components, 0, 1)


def psnr(original, copy):
    error = np.mean((np.asarray(original, dtype=float) - copy) ** 2)
    return float(10 * np.log10(1 / error)) if error > 0 else float("inf")


quality = {4: 19.1722, 16: 20.9440, 64: 23.7108}
