"""Wrong: rounds the length of the list up, not down."""

import numpy as np


def lift(chance, late, share):
    n = max(1, int(np.ceil(share * len(chance))))
    edge = np.sort(chance)[::-1][n - 1]
    above, on = chance > edge, chance == edge
    on_list = (late[above].sum() + (n - above.sum()) * late[on].mean()) / n
    return float(on_list / np.mean(late))
