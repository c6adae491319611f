"""Only numbers that are not finite."""

import numpy as np


def verdict(losses, wanted):
    if not np.isfinite(losses).all():
        return "diverges"
    return "good" if min(losses) <= wanted else "slow"
