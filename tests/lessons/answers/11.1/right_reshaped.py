"""One row per warp, the last one filled up with copies of the last thread."""

import numpy as np


def warp_steps(takes_a, steps_a, steps_b, lanes=32):
    if not len(takes_a):
        return 0
    missing = -len(takes_a) % lanes
    rows = np.concatenate([takes_a, np.repeat(takes_a[-1:], missing)]).reshape(-1, lanes)
    return steps_a * rows.any(axis=1).sum() + steps_b * (~rows).any(axis=1).sum()
