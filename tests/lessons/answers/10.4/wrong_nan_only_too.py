"""Wrong: looks for NaN, but an infinite loss in the middle passes."""

import math


def verdict(losses, wanted):
    if any(math.isnan(loss) for loss in losses) or losses[-1] > losses[0]:
        return "diverges"
    return "good" if min(losses) <= wanted else "slow"
