"""Wrong: only the last loss is tested for being finite."""

import math


def verdict(losses, wanted):
    if not math.isfinite(losses[-1]) or losses[-1] > losses[0]:
        return "diverges"
    return "good" if any(loss <= wanted for loss in losses) else "slow"
