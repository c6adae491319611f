"""Wrong: a last loss equal to the first counts as diverging."""

import numpy as np


def verdict(losses, wanted):
    if not np.all(np.isfinite(losses)) or losses[-1] >= losses[0]:
        return "diverges"
    return "good" if min(losses) <= wanted else "slow"
