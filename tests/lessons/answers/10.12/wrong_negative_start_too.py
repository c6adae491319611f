"""Wrong: the halo at the upper and left border has a negative start, which counts from the end."""


def image_bytes(height, width, channels=3, itemsize=1):
    return height * width * channels * itemsize


def tiles(height, width, size, halo):
    found = []
    for top in range(0, height, size):
        for left in range(0, width, size):
            bottom, right = min(top + size, height), min(left + size, width)
            around = (
                slice(top - halo, min(bottom + halo, height)),
                slice(left - halo, min(right + halo, width)),
            )
            found.append(((slice(top, bottom), slice(left, right)), around))
    return found
