import numpy as np


def lift(chance, late, share):
    return np.asarray(late)[chance >= np.quantile(chance, 1 - share)].mean() / np.asarray(late).mean()
