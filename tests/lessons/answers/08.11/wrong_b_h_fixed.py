"""Wrong: the step is always 1e-5, whatever h is."""

import numpy as np


def slopes(f, x, h=1e-5):
    x = np.asarray(x, dtype=float)
    step = 1e-5
    return np.array([(f(x + step * unit) - f(x - step * unit)) / (2 * step) for unit in np.eye(len(x))])
