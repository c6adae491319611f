import numpy as np


def slopes(f, x, h=1e-5):
    gradient = np.zeros(len(x))
    for place in range(len(x)):
        step = np.zeros(len(x))
        step[place] = h
        gradient[place] = (f(x) - f(x - step)) / h
    return gradient
