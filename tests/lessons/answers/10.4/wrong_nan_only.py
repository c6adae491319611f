"""Infinite is taken for finite."""

import numpy as np


def verdict(losses, wanted):
    if np.isnan(losses).any() or losses[-1] > losses[0]:
        return "diverges"
    return "good" if min(losses) <= wanted else "slow"
