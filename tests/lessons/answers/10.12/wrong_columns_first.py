"""Wrong: the pairs are (columns, rows), right only for a square image."""


def image_bytes(height, width, channels=3, itemsize=1):
    return height * width * channels * itemsize


def tiles(height, width, size, halo):
    found = []
    for top in range(0, height, size):
        for left in range(0, width, size):
            bottom, right = min(top + size, height), min(left + size, width)
            around = (
                slice(max(0, left - halo), min(width, right + halo)),
                slice(max(0, top - halo), min(height, bottom + halo)),
            )
            found.append(((slice(left, right), slice(top, bottom)), around))
    return found
