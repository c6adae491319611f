"""Wrong: f below minus f above, so every slope has the wrong sign."""

import numpy as np


def slopes(f, x, h=1e-5):
    x = np.asarray(x, dtype=float)
    return np.array([(f(x - h * unit) - f(x + h * unit)) / (2 * h) for unit in np.eye(len(x))])
