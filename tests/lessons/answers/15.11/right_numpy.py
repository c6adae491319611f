import numpy as np


def copies(calls, nbytes):
    sides = np.array([1, *(int(fast) for _, fast, _ in calls)])
    sizes = np.array([nbytes, *(size for _, _, size in calls)])[:-1]
    change = np.diff(sides)
    return sizes[change < 0].sum(), sizes[change > 0].sum()
