"""Wrong: divides the sum by all rows, so missing delays count as zero in the mean."""

import dask


def largest_scale(survives, highest):
    low, high = 0, highest
    while low < high:
        middle = (low + high + 1) // 2
        if survives(middle):
            low = middle
        else:
            high = middle - 1
    return low


def dask_answer(table):
    rows, total = dask.compute(table.shape[0], table.dep_delay.sum())
    return rows, total / rows
