import numpy as np
from gpucluster.lessons.material.pictures import cut_tiles, load_photo


def reconstruct(rows, mean, components):
    rows -= mean
    return mean + rows @ components.T @ components


def psnr(original, copy):
    return -10 * np.log10(np.mean((copy - original) ** 2))


tiles = cut_tiles(load_photo(), 16)
_, _, own = np.linalg.svd(tiles - tiles.mean(axis=0), full_matrices=False)
quality = {k: psnr(tiles, reconstruct(tiles, tiles.mean(axis=0), own[:k])) for k in (4, 16, 64)}
