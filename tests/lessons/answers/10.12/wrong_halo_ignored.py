"""No halo."""


def image_bytes(height, width, channels=3, itemsize=1):
    return height * width * channels * itemsize


def tiles(height, width, size, halo):
    found = []
    for top in range(0, height, size):
        for left in range(0, width, size):
            bottom, right = min(top + size, height), min(left + size, width)
            core = slice(top, bottom), slice(left, right)
            rows = slice(max(top, 0), min(bottom, height))
            columns = slice(max(left, 0), min(right, width))
            found.append((core, (rows, columns)))
    return found
