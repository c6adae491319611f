"""Right: NumPy finds where the place changes."""

import numpy as np


def copies(calls, nbytes):
    place = np.array([1, *(1 if fast else 0 for _, fast, _ in calls)])
    sizes = np.array([nbytes, *(size for _, _, size in calls)])[:-1]
    change = np.diff(place)
    return sizes[change < 0].sum(), sizes[change > 0].sum()
