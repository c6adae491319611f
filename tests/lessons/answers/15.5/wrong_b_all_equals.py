"""Wrong: all flights with the chance on the edge come onto the list, which gets too long."""

import numpy as np


def lift(chance, late, share):
    n = max(1, int(share * len(chance)))
    edge = np.sort(chance)[::-1][n - 1]
    above, on = chance > edge, chance == edge
    on_list = late[chance >= edge].mean()
    return float(on_list / np.mean(late))
