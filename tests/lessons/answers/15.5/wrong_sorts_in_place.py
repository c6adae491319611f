import numpy as np


def lift(chance, late, share):
    late = np.asarray(late, dtype=float)
    top = max(1, int(share * len(chance) + 1e-9))
    before = chance.copy()
    chance.sort()
    border = chance[-top]
    above, equal = before > border, before == border
    return (late[above].sum() + (top - above.sum()) * late[equal].mean()) / top / late.mean()
