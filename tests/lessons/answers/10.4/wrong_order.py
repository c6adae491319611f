"""Wrong: asks for good first, so that a run that recovers into infinity counts as good."""

import numpy as np


def verdict(losses, wanted):
    if any(loss <= wanted for loss in losses):
        return "good"
    if not np.all(np.isfinite(losses)) or losses[-1] > losses[0]:
        return "diverges"
    return "slow"
