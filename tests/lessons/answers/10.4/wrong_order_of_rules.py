"""First good, then diverging."""

import numpy as np


def verdict(losses, wanted):
    if np.nanmin(losses) <= wanted:
        return "good"
    if not np.isfinite(losses).all() or losses[-1] > losses[0]:
        return "diverges"
    return "slow"
