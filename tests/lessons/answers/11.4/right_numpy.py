"""NumPy, and a list as result."""

import numpy as np


def largest_request(free, pool_size, maximum):
    sizes = np.array([size for _, size in free] or [0], dtype=float)
    total = sizes.sum()
    return [max(sizes.max(), maximum - pool_size), 1 - sizes.max() / total if total > 0 else 0.0]
