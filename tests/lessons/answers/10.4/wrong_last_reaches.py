"""The aim counts only at the end."""

import numpy as np


def verdict(losses, wanted):
    if not np.isfinite(losses).all() or losses[-1] > losses[0]:
        return "diverges"
    return "good" if losses[-1] <= wanted else "slow"
