"""Answers to exercise 10.12."""

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
# edit of the solution
# ~ slice(top, bottom), slice(left, right) => slice(left, right), slice(top, bottom)
#

# %% wrong beyond: Around ends beyond the image at the lower and right border.
# fails: Around a core lie as many pixels as the halo says, but none beyond the image
# edit of wrong axes_swapped
# -             core = slice(left, right), slice(top, bottom)
# -             rows = slice(max(top - halo, 0), min(bottom + halo, height))
# -             columns = slice(max(left - halo, 0), min(right + halo, width))
# -             found.append((core, (rows, columns)))
# +             around = slice(max(0, top - halo), bottom + halo), slice(max(0, left - halo), right + halo)
# +             found.append(((slice(top, bottom), slice(left, right)), around))

# %% wrong bytes_in_gb: In GB.
# fails: The bytes of an image are right
# edit of wrong axes_swapped
# ~ channels * itemsize => channels * itemsize / 1e9
# ~ slice(left, right), slice(top, bottom) => slice(top, bottom), slice(left, right)

# %% wrong core_beyond: The last core is as large as the others.
# fails: No core goes beyond the image
# edit of wrong axes_swapped
# ~ min(top + size, height), min(left + size, width) => top + size, left + size
# ~ slice(left, right), slice(top, bottom) => slice(top, bottom), slice(left, right)

# %% wrong negative_start: A start before the image counts from its end.
# fails: It returns pairs: the core and what is around, each two slices
# edit of wrong axes_swapped
# ~ slice(left, right), slice(top, bottom) => slice(top, bottom), slice(left, right)
# ~ max(top - halo, 0) => top - halo

# %% wrong overlapping_cores: The cores have the halo.
# fails: Each pixel is in the core of exactly one tile
# edit of wrong axes_swapped
# -             core = slice(left, right), slice(top, bottom)
# +             core = (
# +                 slice(max(top - halo, 0), min(bottom + halo, height)),
# +                 slice(max(left - halo, 0), min(right + halo, width)),
# +             )

# %% wrong rest_left_out: The rest at the border is left out.
# fails: Each pixel is in the core of exactly one tile
# edit of wrong axes_swapped
# ~ 0, height, size => 0, height - size + 1, size
# ~ 0, width, size => 0, width - size + 1, size
# ~ slice(left, right), slice(top, bottom) => slice(top, bottom), slice(left, right)
