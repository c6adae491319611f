"""Wrong: diverges as soon as any loss is larger than the first."""

import numpy as np


def verdict(losses, wanted):
    if not np.all(np.isfinite(losses)) or max(losses) > losses[0]:
        return "diverges"
    return "good" if min(losses) <= wanted else "slow"
