"""The rest at the border is left out."""


def image_bytes(height, width, channels=3, itemsize=1):
    return height * width * channels * itemsize


def tiles(height, width, size, halo):
    found = []
    for top in range(0, height - size + 1, size):
        for left in range(0, width - size + 1, size):
            bottom, right = min(top + size, height), min(left + size, width)
            core = slice(top, bottom), slice(left, right)
            rows = slice(max(top - halo, 0), min(bottom + halo, height))
            columns = slice(max(left - halo, 0), min(right + halo, width))
            found.append((core, (rows, columns)))
    return found
