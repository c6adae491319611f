import numpy as np

# %% right b_loop_components: One component after the other is added, and the numbers of quality are those that were printed.
import math


def reconstruct(rows, mean, components):
    centred = np.subtract(rows, mean)
    back = np.zeros(np.shape(rows)) + mean
    for component in components:
        coordinates = centred.dot(component)
        back += np.multiply.outer(coordinates, component)
    return back


def psnr(original, copy):
    gaps = (np.asarray(original, dtype=float) - np.asarray(copy, dtype=float)).ravel()
    if not gaps.any():
        return math.inf
    return -10 * math.log10(gaps @ gaps / gaps.size)


quality = {4: 19.1722, 16: 20.9440, 64: 23.7108}

# %% right projector
from gpucluster.lessons.material.pictures import cut_tiles, load_photo


def reconstruct(rows, mean, components):
    return mean + (rows - mean) @ (components.T @ components)


def psnr(original, copy):
    return -10 * np.log10(np.mean((copy - original) ** 2))


tiles = cut_tiles(load_photo(), 16)
_, _, own = np.linalg.svd(tiles - tiles.mean(axis=0), full_matrices=False)
quality = {k: psnr(tiles, reconstruct(tiles, tiles.mean(axis=0), own[:k])) for k in (4, 16, 64)}

# %% wrong b_255: The peak is 255, but the values are from 0 to 1.
# fails: PSNR is 10 log10(1 / mean squared error), in decibels
# ~ -10 * math.log10(gaps @ gaps / gaps.size) => 10 * math.log10(255**2 * gaps.size / (gaps @ gaps))

# %% wrong b_clipped: Cuts the numbers to 0 to 1, but the rows are asked 'as they come back from their coordinates'.
# fails: Only the variance of the omitted components is lost; with all components, nothing
# ~ return back => return np.clip(back, 0, 1)

# %% wrong b_mean_ignored: The mean is not used at all, but the coordinates are (x − mean) · component.
# fails: Only the variance of the omitted components is lost; with all components, nothing
# ~ np.subtract(rows, mean) => np.array(rows)
# ~ np.zeros(np.shape(rows)) + mean => np.zeros(np.shape(rows))

# %% wrong b_mean_of_rows: The mean of the PSNR of each row, but the mean squared error of all values is in the formula.
# fails: The mean is taken over the squared errors of all values
# -     return -10 * math.log10(gaps @ gaps / gaps.size)
# +     errors = np.square(gaps).reshape(np.shape(copy)).mean(axis=-1)
# +     return float(np.mean(-10 * np.log10(np.maximum(errors, 1e-300))))

# %% wrong b_one_too_few: Components[: k - 1] leaves one out, but the photo 'for 4, 16 and 64 components' is asked.
# fails: The values are plausible for 16 × 16 tiles of this photo: close to the best, and not above it
# ~ 19.1722, 16: 20.9440, 64: 23.7108 => 18.7721, 16: 20.8112, 64: 23.6618

# %% wrong b_own_mean: Takes the mean of the rows that are given and not the mean of the argument.
# fails: The mean is the given one, whatever the rows
# ~ np.subtract(rows, mean) => rows - (mean := np.mean(rows, axis=0))

# %% wrong b_two_of_three: Quality has no entry for 64.
# fails: It has 4, 16, 64 components
# ~ 20.9440, 64: 23.7108 => 20.9440

# %% wrong mean_not_added, edit of right projector
# fails: Only the variance of the omitted components is lost; with all components, nothing
# ~ mean + (rows - mean) @ (components.T @ components) => ((rows - mean) @ components.T) @ components
