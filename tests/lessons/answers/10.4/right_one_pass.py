"""Right: one pass with an early return."""

import math


def verdict(losses, wanted):
    reached = False
    for loss in losses:
        if math.isnan(loss) or math.isinf(loss):
            return "diverges"
        reached = reached or loss <= wanted
    if losses[len(losses) - 1] > losses[0]:
        return "diverges"
    return "good" if reached else "slow"
