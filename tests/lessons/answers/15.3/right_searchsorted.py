import numpy as np


def airport_now(left, delay, asked, window=60.0):
    order = np.argsort(left, kind="stable")
    sums = np.append(0, np.cumsum(delay[order]))
    a = np.searchsorted(left[order], asked - window, "right")
    b = np.searchsorted(left[order], asked, "right")
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.nan_to_num((sums[b] - sums[a]) / (b - a))
