"""Right: NumPy finds the chance on the edge, and splits flights into those above and those on it."""

import numpy as np


def lift(chance, late, share):
    chance, late = np.asarray(chance, dtype=float), np.asarray(late, dtype=float)
    n = max(1, int(np.floor(share * chance.size + 1e-9)))
    edge = np.partition(chance, chance.size - n)[chance.size - n]
    above, on = chance > edge, chance == edge
    hits = late[above].sum() + (n - above.sum()) * late[on].mean()
    return hits / n / late.mean()
