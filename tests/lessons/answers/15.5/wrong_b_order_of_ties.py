"""Wrong: among equal chances it takes those that stand first in the array."""

import numpy as np


def lift(chance, late, share):
    n = max(1, int(share * len(chance)))
    first = np.argsort(-np.asarray(chance), kind="stable")[:n]
    return float(np.mean(late[first]) / np.mean(late))
