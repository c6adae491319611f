"""Wrong: gives nan instead of 0 where no flight left."""

import numpy as np


def airport_now(left, delay, asked, window=60.0):
    answer = []
    for moment in asked:
        here = (left > moment - window) & (left <= moment)
        answer.append(delay[here].mean() if here.any() else np.nan)
    return np.array(answer, dtype=float)
