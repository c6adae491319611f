"""np.clip and NumPy numbers; columns first."""

import numpy as np


def image_bytes(height, width, channels=3, itemsize=1):
    return float(np.prod([height, width, channels, itemsize], dtype=np.float64))


def tiles(height, width, size, halo):
    found = []
    for left in np.arange(0, width, size):
        right = np.minimum(left + size, width)
        x0, x1 = np.clip([left - halo, right + halo], 0, width)
        for top in np.arange(0, height, size):
            bottom = np.minimum(top + size, height)
            y0, y1 = np.clip([top - halo, bottom + halo], 0, height)
            found.append([[slice(top, bottom), slice(left, right)], [slice(y0, y1), slice(x0, x1)]])
    return found
