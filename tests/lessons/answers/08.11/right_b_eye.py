"""Right: a comprehension over the rows of h times the identity, in any shape."""

import numpy as np


def slopes(f, x, h=1e-5):
    x = np.asarray(x, dtype=np.float64)
    steps = (h * unit.reshape(x.shape) for unit in np.eye(x.size))
    return np.array([(f(x + step) - f(x - step)) / (2 * h) for step in steps]).reshape(x.shape)
