"""Wrong: takes the flights with the lowest chances."""

import numpy as np


def lift(chance, late, share):
    n = max(1, int(share * len(chance)))
    edge = np.sort(chance)[n - 1]
    above, on = chance < edge, chance == edge
    on_list = (late[above].sum() + (n - above.sum()) * late[on].mean()) / n
    return float(on_list / np.mean(late))
