import numpy as np


def airport_now(left, delay, asked, window=60.0):
    near = np.abs(left[None, :] - asked[:, None]) < window
    count = near.sum(axis=1)
    return (near @ delay) / np.maximum(count, 1)
