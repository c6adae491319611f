"""Wrong: the window is always 60 minutes."""

import numpy as np


def airport_now(left, delay, asked, window=60.0):
    answer = []
    for moment in asked:
        here = (left > moment - 60) & (left <= moment)
        answer.append(delay[here].mean() if here.any() else 0.0)
    return np.array(answer, dtype=float)
