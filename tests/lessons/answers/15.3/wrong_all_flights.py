import numpy as np


def airport_now(left, delay, asked, window=60.0):
    return np.full(len(asked), delay.mean() if len(delay) else 0.0)
