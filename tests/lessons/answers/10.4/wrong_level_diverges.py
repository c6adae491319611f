"""The same loss as in the beginning counts as larger."""

import numpy as np


def verdict(losses, wanted):
    if not np.isfinite(losses).all() or losses[-1] >= losses[0]:
        return "diverges"
    return "good" if min(losses) <= wanted else "slow"
