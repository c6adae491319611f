"""Wrong: a loss of exactly the wanted value is not good here."""

import numpy as np


def verdict(losses, wanted):
    if not np.all(np.isfinite(losses)) or losses[-1] > losses[0]:
        return "diverges"
    return "good" if min(losses) < wanted else "slow"
