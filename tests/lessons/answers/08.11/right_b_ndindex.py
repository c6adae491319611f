"""Right: a loop over all indices, with fresh copies of x as floats."""

import numpy as np


def slopes(f, x, h=1e-5):
    result = np.zeros(np.shape(x))
    for place in np.ndindex(np.shape(x)):
        above, below = np.array(x, dtype=float), np.array(x, dtype=float)
        above[place] += h
        below[place] -= h
        result[place] = (f(above) - f(below)) / (2 * h)
    return result
