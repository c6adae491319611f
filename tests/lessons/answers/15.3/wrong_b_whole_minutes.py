"""Wrong: divides whole numbers with //, so the mean is rounded down."""

import numpy as np


def airport_now(left, delay, asked, window=60.0):
    answer = []
    for moment in asked:
        here = (left > moment - window) & (left <= moment)
        answer.append(delay[here].sum() // here.sum() if here.any() else 0.0)
    return np.array(answer, dtype=float)
