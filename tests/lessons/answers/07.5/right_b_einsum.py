"""einsum for coordinates and rows; the mean is added by broadcasting."""

import numpy as np


def reconstruct(rows, mean, components):
    coordinates = np.einsum("nd,kd->nk", rows - mean, components)
    return np.einsum("nk,kd->nd", coordinates, components) + mean


def psnr(original, copy):
    with np.errstate(divide="ignore"):
        return 20 * np.log10(1 / np.sqrt(np.mean(np.square(np.subtract(original, copy, dtype=float)))))


quality = dict(zip((4, 16, 64), (19.17224, 20.94396, 23.71082)))
