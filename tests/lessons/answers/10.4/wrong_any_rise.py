"""Any rise counts as diverging."""

import numpy as np


def verdict(losses, wanted):
    if not np.isfinite(losses).all() or any(b > a for a, b in zip(losses[:-1], losses[1:], strict=False)):
        return "diverges"
    return "good" if min(losses) <= wanted else "slow"
