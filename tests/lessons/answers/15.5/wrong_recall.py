import numpy as np


def lift(chance, late, share):
    late = np.asarray(late, dtype=float)
    top = max(1, int(share * len(chance) + 1e-9))
    border = np.sort(chance)[-top]
    above, equal = chance > border, chance == border
    return (late[above].sum() + (top - above.sum()) * late[equal].mean()) / late.sum()
