# %% right numpy: np.clip and NumPy numbers; columns first.
import numpy as np


def image_bytes(height, width, channels=3, itemsize=1):
    return float(np.prod([height, width, channels, itemsize], dtype=np.float64))


def tiles(height, width, size, halo):
    found = []
    for left in np.arange(0, width, size):
        right = np.minimum(left + size, width)
        x0, x1 = np.clip([left - halo, right + halo], 0, width)
        for top in np.arange(0, height, size):
            bottom = np.minimum(top + size, height)
            y0, y1 = np.clip([top - halo, bottom + halo], 0, height)
            found.append([[slice(top, bottom), slice(left, right)], [slice(y0, y1), slice(x0, x1)]])
    return found

# %% right product: Pieces of each axis, and all pairs of them.
from itertools import product


def image_bytes(height, width, channels=3, itemsize=1):
    total = itemsize
    for factor in (height, width, channels):
        total *= factor
    return total


def pieces(length, size, halo):
    starts = range(0, length, size)
    return [
        (slice(a, min(a + size, length)), slice(max(0, a - halo), min(length, min(a + size, length) + halo)))
        for a in starts
    ]


def tiles(height, width, size, halo):
    for (row, rows), (column, columns) in product(pieces(height, size, halo), pieces(width, size, halo)):
        yield (row, column), (rows, columns)

# %% wrong axes_swapped: Columns first.
# fails: Each pixel is in the core of exactly one tile
# ~ slice(top, bottom), slice(left, right) => slice(left, right), slice(top, bottom)

# %% wrong beyond: Around ends beyond the image at the lower and right border.
# fails: Each core is surrounded by the halo's number of pixels, but none beyond the image
# ~ np.clip([top - halo, bottom + halo], 0, height) => max(0, top - halo), bottom + halo
# ~ np.clip([left - halo, right + halo], 0, width) => max(0, left - halo), right + halo

# %% wrong bytes_in_gb: In GB.
# fails: The bytes per image are right
# ~ dtype=np.float64)) => dtype=np.float64)) / 1e9

# %% wrong core_beyond: The last core is as large as the others.
# fails: No core extends beyond the image
# ~ np.minimum(left + size, width) => left + size
# ~ np.minimum(top + size, height) => top + size

# %% wrong negative_start: A start before the image counts from its end.
# fails: It returns pairs: the core and what is around, each two slices
# ~ np.clip([top - halo, bottom + halo], 0, height) => top - halo, min(bottom + halo, height)
# ~ np.clip([left - halo, right + halo], 0, width) => left - halo, min(right + halo, width)

# %% wrong overlapping_cores: The cores have the halo.
# fails: Each pixel is in the core of exactly one tile
# ~ slice(top, bottom), slice(left, right) => slice(y0, y1), slice(x0, x1)

# %% wrong rest_left_out: The rest at the border is left out.
# fails: Each pixel is in the core of exactly one tile
# ~ np.arange(0, width, size) => np.arange(0, width - size + 1, size)
# ~ np.arange(0, height, size) => np.arange(0, height - size + 1, size)
