"""Wrong: the steps are written into a copy of x: where x has whole numbers, they are cut off."""

import numpy as np


def slopes(f, x, h=1e-5):
    gradient = np.empty(x.shape)
    for place in np.ndindex(x.shape):
        above, below = x.copy(), x.copy()
        above[place] = x[place] + h
        below[place] = x[place] - h
        gradient[place] = (f(above) - f(below)) / (2 * h)
    return gradient
