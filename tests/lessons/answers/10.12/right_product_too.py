"""Right: both axes alike, itertools.product, columns before rows."""

from itertools import product
from math import prod


def image_bytes(*shape, channels=3, itemsize=1):
    if len(shape) > 2:
        channels, itemsize = (*shape[2:], itemsize)[:2]
    return prod((*shape[:2], channels, itemsize))


def _axis(length, size, halo):
    for at in range(0, length, size):
        end = min(at + size, length)
        yield slice(at, end), slice(max(0, at - halo), min(length, end + halo))


def tiles(height, width, size, halo):
    return [((r, c), (rr, cc)) for (c, cc), (r, rr) in product(_axis(width, size, halo), _axis(height, size, halo))]
