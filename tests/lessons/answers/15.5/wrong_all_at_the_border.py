import numpy as np


def lift(chance, late, share):
    top = max(1, int(share * len(chance) + 1e-9))
    return np.asarray(late)[chance >= np.sort(chance)[-top]].mean() / np.asarray(late).mean()
