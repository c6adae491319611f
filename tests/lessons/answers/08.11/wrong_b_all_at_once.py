"""Wrong: moves all entries together, although the other entries stay as they are."""

import numpy as np


def slopes(f, x, h=1e-5):
    x = np.asarray(x, dtype=float)
    return np.full(x.shape, (f(x + h) - f(x - h)) / (2 * h))
