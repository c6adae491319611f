"""With while, from the lower right."""


def image_bytes(height, width, channels=3, itemsize=1):
    return itemsize * channels * width * height


def tiles(height, width, size, halo):
    found, top = [], (height - 1) // size * size
    while top >= 0:
        left = (width - 1) // size * size
        while left >= 0:
            core = (slice(top, min(height, top + size), None), slice(left, min(width, left + size), 1))
            wide = tuple(
                slice(max(0, s.start - halo), min(n, s.stop + halo))
                for s, n in zip(core, (height, width), strict=False)
            )
            found.append((core, wide))
            left -= size
        top -= size
    return tuple(found)
