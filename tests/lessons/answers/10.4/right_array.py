"""With an array; capital letters do no harm."""

import numpy as np


def verdict(losses, wanted):
    curve = np.array(losses, dtype=float)
    bad = np.isnan(curve).any() or np.isinf(curve).any() or curve[-1] - curve[0] > 0
    return ["Slow", "Good", "Diverges"][2 if bad else int((curve <= wanted).any())]
