"""Wrong: counts only the rows with a delay; cancelled flights are rows as well."""

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
    return dask.compute(table.dep_delay.count(), table.dep_delay.mean())
