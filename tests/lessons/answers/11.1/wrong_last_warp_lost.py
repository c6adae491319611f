"""The last warp, with fewer threads, is cut off."""

import numpy as np


def warp_steps(takes_a, steps_a, steps_b, lanes=32):
    warps = len(takes_a) // lanes
    table = np.asarray(takes_a, dtype=bool)[: warps * lanes].reshape(warps, lanes)
    return int(table.any(axis=1).sum() * steps_a + (~table).any(axis=1).sum() * steps_b)
