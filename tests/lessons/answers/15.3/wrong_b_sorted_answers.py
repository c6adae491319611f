"""Wrong: the answers come in the order of time, not in the order of asked."""

import numpy as np


def airport_now(left, delay, asked, window=60.0):
    answer = []
    for moment in np.sort(asked):
        here = (left > moment - window) & (left <= moment)
        answer.append(delay[here].mean() if here.any() else 0.0)
    return np.array(answer, dtype=float)
