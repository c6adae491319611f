import numpy as np


def lift(chance, late, share):
    top = max(1, int(share * len(chance) + 1e-9))
    return np.asarray(late)[np.argsort(-chance, kind="stable")[:top]].mean() / np.asarray(late).mean()
