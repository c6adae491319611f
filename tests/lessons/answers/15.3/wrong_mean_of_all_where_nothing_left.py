import numpy as np


def airport_now(left, delay, asked, window=60.0):
    inside = (left[None, :] > asked[:, None] - window) & (left[None, :] <= asked[:, None])
    count = inside.sum(axis=1)
    return np.where(count > 0, (inside @ delay) / np.maximum(count, 1), delay.mean() if len(delay) else 0)
