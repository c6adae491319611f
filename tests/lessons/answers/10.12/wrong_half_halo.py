"""Wrong: the halo is shared between both sides, half on each."""


def image_bytes(height, width, channels=3, itemsize=1):
    return height * width * channels * itemsize


def tiles(height, width, size, halo):
    found, half = [], halo // 2
    for top in range(0, height, size):
        for left in range(0, width, size):
            bottom, right = min(top + size, height), min(left + size, width)
            around = (
                slice(max(0, top - half), min(height, bottom + half)),
                slice(max(0, left - half), min(width, right + half)),
            )
            found.append(((slice(top, bottom), slice(left, right)), around))
    return found
