import numpy as np


def slopes(f, x, h=1e-5):
    gradient = np.zeros(len(x))
    for place in range(len(x)):
        step = np.zeros(len(x))
        step[place] = 1e-6
        gradient[place] = (f(x + step) - f(x - step)) / (2e-6)
    return gradient
