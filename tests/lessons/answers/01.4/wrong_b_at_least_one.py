"""Wrong: returns 1 also if not even one copy survives; the text says 0 if there is none."""

import dask


def dask_answer(table):
    rows, mean = dask.compute(table.shape[0], table.dep_delay.mean())
    return rows, mean


def largest_scale(survives, highest):
    low, high = 1, highest
    while low < high:
        middle = (low + high + 1) // 2
        if survives(middle):
            low = middle
        else:
            high = middle - 1
    return low
