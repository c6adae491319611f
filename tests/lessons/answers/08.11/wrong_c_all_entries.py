"""Wrong: moves all entries at the same time."""

import numpy as np


def slopes(f, x, h=1e-5):
    slope = (f(x + h) - f(x - h)) / (2 * h)
    return np.full(len(x), slope)
