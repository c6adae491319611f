"""Wrong: counts a flight that left exactly at moment - window, not after it."""

import numpy as np


def airport_now(left, delay, asked, window=60.0):
    answer = []
    for moment in asked:
        here = (left >= moment - window) & (left <= moment)
        answer.append(delay[here].mean() if here.any() else 0.0)
    return np.array(answer, dtype=float)
