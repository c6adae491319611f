"""Wrong: only whole tiles, the pixels at the lower and right border are missing."""


def image_bytes(height, width, channels=3, itemsize=1):
    return height * width * channels * itemsize


def tiles(height, width, size, halo):
    found = []
    for i in range(height // size):
        for j in range(width // size):
            top, left = i * size, j * size
            core = slice(top, top + size), slice(left, left + size)
            around = (
                slice(max(0, top - halo), min(height, top + size + halo)),
                slice(max(0, left - halo), min(width, left + size + halo)),
            )
            found.append((core, around))
    return found
