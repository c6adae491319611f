"""Wrong: good only if the last loss is low enough, not if any was."""

import numpy as np


def verdict(losses, wanted):
    if not np.all(np.isfinite(losses)) or losses[-1] > losses[0]:
        return "diverges"
    return "good" if losses[-1] <= wanted else "slow"
