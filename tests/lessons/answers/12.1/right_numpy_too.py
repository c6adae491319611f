"""Style: steps with "any" are taken out, then NumPy compares neighbours."""

import numpy as np


def crossings(steps, start):
    real = [(p, n) for _, p, n in steps if p != "any"]
    places = np.array([start] + [p for p, _ in real])
    sizes = np.array([n for _, n in real], dtype=np.int64)
    cross = places[1:] != places[:-1]
    return int(cross.sum()), int(sizes[cross].sum())
