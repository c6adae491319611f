"""A warp that diverges is charged the longer side instead of both."""

import numpy as np


def warp_steps(takes_a, steps_a, steps_b, lanes=32):
    total = 0
    for i in range(0, len(takes_a), lanes):
        warp = np.asarray(takes_a[i : i + lanes], dtype=bool)
        if warp.all():
            total += steps_a
        elif not warp.any():
            total += steps_b
        else:
            total += max(steps_a, steps_b)
    return total
