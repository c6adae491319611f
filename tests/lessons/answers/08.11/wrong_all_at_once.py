import numpy as np


def slopes(f, x, h=1e-5):
    return np.full(len(x), (f(x + h) - f(x - h)) / (2 * h))
