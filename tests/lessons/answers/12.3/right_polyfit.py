"""Style: NumPy's polyfit with weights 1 / t, a list as result."""

import numpy as np


def fit_link(sizes, seconds):
    t = np.asarray(seconds, float)
    slope, alpha = np.polyfit(np.asarray(sizes, float), t, deg=1, w=1 / t)
    return [alpha, 1 / slope]


half_size = lambda alpha, beta: beta * alpha  # noqa: E731
