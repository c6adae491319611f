"""Wrong: takes the window after the moment, too, so it uses what happened later."""

import numpy as np


def airport_now(left, delay, asked, window=60.0):
    answer = []
    for moment in asked:
        here = np.abs(left - moment) < window
        answer.append(delay[here].mean() if here.any() else 0.0)
    return np.array(answer, dtype=float)
