"""Compares the last with the smallest."""

import numpy as np


def verdict(losses, wanted):
    if not np.isfinite(losses).all() or losses[-1] > 2 * min(losses):
        return "diverges"
    return "good" if min(losses) <= wanted else "slow"
