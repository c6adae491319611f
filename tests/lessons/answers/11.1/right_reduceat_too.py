"""Style: NumPy with logical_or.reduceat, no padding; the result is a NumPy integer."""

import numpy as np


def warp_steps(takes_a, steps_a, steps_b, lanes=32):
    takes_a = np.asarray(takes_a, dtype=bool)
    if takes_a.size == 0:
        return 0
    starts = np.arange(0, len(takes_a), lanes)
    some_a = np.logical_or.reduceat(takes_a, starts)
    some_b = np.logical_or.reduceat(~takes_a, starts)
    return some_a.sum() * steps_a + some_b.sum() * steps_b
