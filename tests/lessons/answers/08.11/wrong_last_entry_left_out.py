import numpy as np


def slopes(f, x, h=1e-5):
    gradient = np.zeros(len(x))
    for place in range(len(x) - 1):
        step = np.zeros(len(x))
        step[place] = h
        gradient[place] = (f(x + step) - f(x - step)) / (2 * h)
    return gradient
