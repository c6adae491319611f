import numpy as np


def slopes(f, x, h=1e-5):
    gradient = np.zeros(len(x))
    for place in range(len(x)):
        step = np.zeros(len(x))
        step[place] = h
        gradient[place] = (f(x + step / 2) - f(x - step / 2)) / h
    return gradient
