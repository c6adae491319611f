"""Right: a table of moments and flights, which is enough for small days."""

import numpy as np


def airport_now(left, delay, asked, window=60.0):
    left, delay, asked = (np.asarray(one, dtype=np.float64) for one in (left, delay, asked))
    inside = (left[None, :] > asked[:, None] - window) & (left[None, :] <= asked[:, None])
    flights = inside.sum(axis=1)
    return np.where(flights > 0, inside @ delay / np.maximum(flights, 1), 0.0)
