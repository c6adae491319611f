"""Wrong: image_bytes forgets the itemsize, tiles is right."""


def image_bytes(height, width, channels=3, itemsize=1):
    return height * width * channels


def tiles(height, width, size, halo):
    found = []
    for top in range(0, height, size):
        for left in range(0, width, size):
            bottom, right = min(top + size, height), min(left + size, width)
            around = (
                slice(max(0, top - halo), min(height, bottom + halo)),
                slice(max(0, left - halo), min(width, right + halo)),
            )
            found.append(((slice(top, bottom), slice(left, right)), around))
    return found
