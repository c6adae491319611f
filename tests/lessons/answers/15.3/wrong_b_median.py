"""Wrong: the median of the delays instead of their mean."""

import numpy as np


def airport_now(left, delay, asked, window=60.0):
    answer = []
    for moment in asked:
        here = (left > moment - window) & (left <= moment)
        answer.append(np.median(delay[here]) if here.any() else 0.0)
    return np.array(answer, dtype=float)
