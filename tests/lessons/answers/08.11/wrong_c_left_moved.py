"""Wrong: changes x, and does not put an entry back before the next."""

import numpy as np


def slopes(f, x, h=1e-5):
    x, gradient = x.astype(float), []
    for i in range(len(x)):
        x[i] += h
        above = f(x)
        x[i] -= 2 * h
        gradient.append((above - f(x)) / (2 * h))
    return np.array(gradient)
