"""Wrong: divides by the share among the flights that are not on the list, not among all."""

import numpy as np


def lift(chance, late, share):
    n = max(1, int(share * len(chance)))
    edge = np.sort(chance)[::-1][n - 1]
    above, on = chance > edge, chance == edge
    on_list = (late[above].sum() + (n - above.sum()) * late[on].mean()) / n
    return float(on_list / ((np.sum(late) - on_list * n) / (len(late) - n)))
