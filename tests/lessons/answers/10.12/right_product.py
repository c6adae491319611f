"""Pieces of each axis, and all pairs of them."""

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
