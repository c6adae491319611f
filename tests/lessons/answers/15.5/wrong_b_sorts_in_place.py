"""Wrong: sorts the chances that it is given, which a function leaves as they were."""

import numpy as np


def lift(chance, late, share):
    n = max(1, int(share * len(chance)))
    before = chance.copy()
    chance.sort()
    edge = chance[-n]
    above, on = before > edge, before == edge
    return float((late[above].sum() + (n - above.sum()) * late[on].mean()) / n / np.mean(late))
