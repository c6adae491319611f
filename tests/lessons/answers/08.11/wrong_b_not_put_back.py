"""Wrong: an entry is not put back after its step, so the other entries do not stay as they are."""

import numpy as np


def slopes(f, x, h=1e-5):
    x = np.array(x, dtype=float)
    result = np.zeros_like(x)
    for i in range(len(x)):
        x[i] += h
        above = f(x.copy())
        x[i] -= 2 * h
        below = f(x.copy())
        result[i] = (above - below) / (2 * h)
    return result
