"""Wrong: forward differences (above minus here, divided by h) instead of central ones."""

import numpy as np


def slopes(f, x, h=1e-5):
    x = np.asarray(x, dtype=float)
    here = f(x)
    return np.array([(f(x + h * unit) - here) / h for unit in np.eye(len(x))])
