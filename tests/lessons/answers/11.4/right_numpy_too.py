"""Style: NumPy, with an empty block put in front so that nothing is empty; returns an array's numbers in a list."""

import numpy as np


def largest_request(free, pool_size, maximum):
    sizes = np.array([(0, 0), *free], dtype=np.float64)[:, 1]
    ordered = np.sort(sizes)
    with np.errstate(invalid="ignore"):
        share = np.nan_to_num(ordered[:-1].sum() / ordered.sum())
    return [int(max(ordered[-1], maximum - pool_size)), float(share)]
