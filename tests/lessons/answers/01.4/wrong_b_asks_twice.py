"""Wrong: asks the same question twice in each step, although it takes seconds."""

import dask


def dask_answer(table):
    rows, mean = dask.compute(table.shape[0], table.dep_delay.mean())
    return rows, mean


def largest_scale(survives, highest):
    low, high = 0, highest
    while low < high:
        middle = (low + high + 1) // 2
        if survives(middle):
            low = middle
        if not survives(middle):
            high = middle - 1
    return low
