"""Wrong: flights with the chance on the edge are left out, also those for which there is room."""

import numpy as np


def lift(chance, late, share):
    n = max(1, int(share * len(chance)))
    edge = np.sort(chance)[::-1][n - 1]
    above, on = chance > edge, chance == edge
    on_list = late[above].mean() if above.any() else late[on].mean()
    return float(on_list / np.mean(late))
