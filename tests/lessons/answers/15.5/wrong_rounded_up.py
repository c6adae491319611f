import numpy as np


def lift(chance, late, share):
    late = np.asarray(late, dtype=float)
    top = int(np.ceil(share * len(chance)))
    border = np.sort(chance)[-top]
    above, equal = chance > border, chance == border
    return (late[above].sum() + (top - above.sum()) * late[equal].mean()) / top / late.mean()
