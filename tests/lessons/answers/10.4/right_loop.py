"""A loop with math."""

import math


def verdict(losses, wanted):
    reached = False
    for loss in losses:
        if math.isnan(loss) or math.isinf(loss):
            return "diverges"
        reached = reached or loss <= wanted
    if losses[0] < losses[-1]:
        return "diverges"
    if reached:
        return "good"
    return "slow"
