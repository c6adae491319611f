"""Everything that is finite is good."""

import numpy as np


def verdict(losses, wanted):
    if not np.isfinite(losses).all() or losses[-1] > losses[0]:
        return "diverges"
    return "good"
