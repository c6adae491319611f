"""Wrong: forward differences."""

import numpy as np


def slopes(f, x, h=1e-5):
    here = f(x)
    return np.array([(f(x + h * unit) - here) / h for unit in np.eye(len(x))])
