"""Wrong: returns the smallest number that does not survive, one too many."""

import dask


def dask_answer(table):
    rows, mean = dask.compute(table.shape[0], table.dep_delay.mean())
    return rows, mean


def largest_scale(survives, highest):
    low, high = 1, highest + 1
    while low < high:
        middle = (low + high) // 2
        if survives(middle):
            low = middle + 1
        else:
            high = middle
    return min(low, highest)
