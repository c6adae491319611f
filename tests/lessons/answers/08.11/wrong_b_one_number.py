"""Wrong: gives the length of the gradient, not one number for each entry."""

import numpy as np


def slopes(f, x, h=1e-5):
    x = np.asarray(x, dtype=float)
    found = [(f(x + h * unit) - f(x - h * unit)) / (2 * h) for unit in np.eye(len(x))]
    return float(np.linalg.norm(found))
