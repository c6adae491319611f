"""Wrong: the loss before training is left out of the search for a good one."""

import numpy as np


def verdict(losses, wanted):
    if not np.all(np.isfinite(losses)) or losses[-1] > losses[0]:
        return "diverges"
    return "good" if any(loss <= wanted for loss in losses[1:]) else "slow"
