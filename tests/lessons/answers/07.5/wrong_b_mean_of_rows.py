"""Wrong: the mean of the PSNR of each row, but the mean squared error of all values is in the formula."""

import numpy as np


def reconstruct(rows, mean, components):
    return mean + (rows - mean) @ components.T @ components


def psnr(original, copy):
    errors = ((np.asarray(original, dtype=float) - copy) ** 2).mean(axis=-1)
    return float(np.mean(10 * np.log10(1 / np.maximum(errors, 1e-300))))


quality = {4: 19.1722, 16: 20.9440, 64: 23.7108}
