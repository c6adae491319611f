"""Chances in 4 bytes: some become equal."""

import numpy as np


def lift(chance, late, share):
    chance, late = np.asarray(chance, np.float32), np.asarray(late, float)
    top = max(1, int(share * len(chance)))
    border = np.sort(chance)[-top]
    above, equal = chance > border, chance == border
    return (late[above].sum() + (top - above.sum()) * late[equal].mean()) / top / late.mean()
