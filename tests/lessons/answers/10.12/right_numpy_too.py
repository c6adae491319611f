"""Right: np.clip on the borders, from the lower right tile to the first, lists as pairs of slices turned to tuples."""

import numpy as np


def image_bytes(height, width, channels=3, itemsize=1):
    return int(np.prod([height, width, channels, itemsize], dtype=np.int64))


def _slices(length, size, halo):
    low = np.arange(0, length, size)
    high = np.minimum(low + size, length)
    wide_low, wide_high = np.clip(low - halo, 0, length), np.clip(high + halo, 0, length)
    return [
        (slice(int(a), int(b)), slice(int(c), int(d)))
        for a, b, c, d in zip(low, high, wide_low, wide_high, strict=False)
    ]


def tiles(height, width, size, halo):
    rows, columns = _slices(height, size, halo), _slices(width, size, halo)
    return [((row[0], column[0]), (row[1], column[1])) for row in rows[::-1] for column in columns[::-1]]
