"""Wrong: the mean of all flights up to the moment, without the beginning of the window."""

import numpy as np


def airport_now(left, delay, asked, window=60.0):
    answer = []
    for moment in asked:
        here = left <= moment
        answer.append(delay[here].mean() if here.any() else 0.0)
    return np.array(answer, dtype=float)
