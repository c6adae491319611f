import numpy as np


def lift(chance, late, share):
    late = np.asarray(late, dtype=float)
    top = max(1, int(share * len(chance) + 1e-9))
    order = np.argsort(-chance)
    rest = late[order[top:]].mean() if top < len(chance) else late.mean()
    return late[order[:top]].mean() / (rest or 1)
