"""Right: while loops and a list."""


def image_bytes(height, width, channels=3, itemsize=1):
    return int(height) * int(width) * channels * itemsize


def tiles(height, width, size, halo):
    found = []
    top = 0
    while top < height:
        bottom = min(top + size, height)
        left = 0
        while left < width:
            right = min(left + size, width)
            core = (slice(top, bottom), slice(left, right))
            around = (
                slice(max(top - halo, 0), min(bottom + halo, height)),
                slice(max(left - halo, 0), min(right + halo, width)),
            )
            found.append((core, around))
            left = right
        top = bottom
    return found
