"""Columns first."""


def image_bytes(height, width, channels=3, itemsize=1):
    return height * width * channels * itemsize


def tiles(height, width, size, halo):
    found = []
    for top in range(0, height, size):
        for left in range(0, width, size):
            bottom, right = min(top + size, height), min(left + size, width)
            core = slice(left, right), slice(top, bottom)
            rows = slice(max(top - halo, 0), min(bottom + halo, height))
            columns = slice(max(left - halo, 0), min(right + halo, width))
            found.append((core, (rows, columns)))
    return found
