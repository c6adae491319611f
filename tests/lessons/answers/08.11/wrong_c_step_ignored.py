"""Wrong: uses a step of its own, not h."""

import numpy as np


def slopes(f, x, h=1e-5):
    h = 1e-6
    return np.array([(f(x + h * unit) - f(x - h * unit)) / (2 * h) for unit in np.eye(len(x))])
