import numpy as np


def slopes(f, x, h=1e-5):
    return [(f(x + e) - f(x - e)) / (2 * h) for e in h * np.eye(len(x))]
