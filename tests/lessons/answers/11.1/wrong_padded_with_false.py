"""The short last warp is filled with False, so lanes that do not exist go to side b."""

import numpy as np


def warp_steps(takes_a, steps_a, steps_b, lanes=32):
    takes_a = np.asarray(takes_a, dtype=bool)
    padded = np.pad(takes_a, (0, -len(takes_a) % lanes))
    table = padded.reshape(-1, lanes)
    return int(table.any(axis=1).sum() * steps_a + (~table.all(axis=1)).sum() * steps_b)
