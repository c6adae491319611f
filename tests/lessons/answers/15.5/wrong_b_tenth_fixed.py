"""Wrong: the list always has one flight in ten, whatever share says."""

import numpy as np


def lift(chance, late, share):
    n = max(1, len(chance) // 10)
    edge = np.sort(chance)[::-1][n - 1]
    above, on = chance > edge, chance == edge
    on_list = (late[above].sum() + (n - above.sum()) * late[on].mean()) / n
    return float(on_list / np.mean(late))
