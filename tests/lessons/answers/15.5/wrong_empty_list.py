import numpy as np


def lift(chance, late, share):
    late = np.asarray(late, dtype=float)
    top = int(share * len(chance) + 1e-9)
    if top == 0:
        return 1.0
    border = np.sort(chance)[-top]
    above, equal = chance > border, chance == border
    return (late[above].sum() + (top - above.sum()) * late[equal].mean()) / top / late.mean()
