"""Wrong: around ends beyond the image at the lower and right border."""


def image_bytes(height, width, channels=3, itemsize=1):
    return height * width * channels * itemsize


def tiles(height, width, size, halo):
    found = []
    for top in range(0, height, size):
        for left in range(0, width, size):
            bottom, right = min(top + size, height), min(left + size, width)
            around = slice(max(0, top - halo), bottom + halo), slice(max(0, left - halo), right + halo)
            found.append(((slice(top, bottom), slice(left, right)), around))
    return found
