"""Rounds the number of flights to the nearest one."""

import numpy as np


def lift(chance, late, share):
    chance, late = np.asarray(chance, float), np.asarray(late, float)
    top = max(1, round(share * len(chance)))
    border = np.sort(chance)[-top]
    above, equal = chance > border, chance == border
    return (late[above].sum() + (top - above.sum()) * late[equal].mean()) / top / late.mean()
