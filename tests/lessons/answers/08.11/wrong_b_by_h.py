"""Wrong: divides by h instead of 2h."""

import numpy as np


def slopes(f, x, h=1e-5):
    x = np.asarray(x, dtype=float)
    return np.array([(f(x + h * unit) - f(x - h * unit)) / h for unit in np.eye(len(x))])
