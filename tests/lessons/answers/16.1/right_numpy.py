import numpy as np


def fair_points(paper):
    if not paper:
        return np.float64(0)
    kinds, options, outcomes = (np.array(column, dtype=object) for column in zip(*paper, strict=True))
    n = np.array([o or 0 for o in options], dtype=float)
    ways = np.where(kinds == "several", 2**n - 1, n)
    with np.errstate(divide="ignore"):
        loss = np.where((kinds == "choice") | (kinds == "several"), 1 / (ways - 1), 0)
    return ((outcomes == "right") * 1.0 - (outcomes == "wrong") * loss).sum()
