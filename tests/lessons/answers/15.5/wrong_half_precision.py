import numpy as np


def lift(chance, late, share):
    late, chance = np.asarray(late, dtype="float16"), chance.astype("float16")
    top = max(1, int(share * len(chance) + 1e-9))
    border = np.sort(chance)[-top]
    above, equal = chance > border, chance == border
    return (late[above].sum() + (top - above.sum()) * late[equal].mean()) / top / late.mean()
