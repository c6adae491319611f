"""Everything is computed: moments of each block, components, and a comprehension for quality."""

from functools import reduce

import dask
import numpy as np
from gpucluster import datasets
from gpucluster.lessons import as_numpy
from gpucluster.lessons.material.pictures import cut_tiles, load_photo


def block_moments(block):
    mean = block.mean(axis=0, dtype=float)
    centred = block.astype(float) - mean
    return len(block), mean, centred.T @ centred


def merge(a, b):
    (n_a, m_a, M_a), (n_b, m_b, M_b) = a, b
    n = n_a + n_b
    delta = m_b - m_a
    return n, m_a + delta * n_b / n, M_a + M_b + np.outer(delta, delta) * n_a * n_b / n


def reconstruct(rows, mean, components):
    return mean + (rows - mean) @ components.T @ components


def psnr(original, copy):
    error = np.mean((np.asarray(original, dtype=float) - copy) ** 2)
    return float(10 * np.log10(1 / error)) if error > 0 else float("inf")


def merge_all(several):
    return reduce(merge, several)


moments_of = dask.delayed(lambda block: as_numpy(block_moments(block)))
level = [moments_of(block) for block in datasets.patches(16).to_delayed().ravel()]
while len(level) > 1:
    level = [dask.delayed(merge_all)(level[i : i + 4]) for i in range(0, len(level), 4)]
n, mean, M = level[0].compute()
components = np.linalg.eigh(M / (n - 1))[1].T[::-1]
tiles = cut_tiles(load_photo(), 16)
quality = {k: psnr(tiles, reconstruct(tiles, mean, components[:k])) for k in (4, 16, 64)}
