"""Right: NumPy on the whole curve."""

import numpy as np


def verdict(losses, wanted):
    curve = np.asarray(losses, dtype=np.float64)
    if not np.isfinite(curve).all() or curve[-1] > curve[0]:
        return "diverges"
    return ("slow", "good")[int((curve <= wanted).any())]
