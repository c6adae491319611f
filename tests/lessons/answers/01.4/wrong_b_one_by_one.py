"""Wrong: asks one number after the other, not as rarely as possible."""

import dask


def dask_answer(table):
    rows, mean = dask.compute(table.shape[0], table.dep_delay.mean())
    return rows, mean


def largest_scale(survives, highest):
    k = 0
    while k < highest and survives(k + 1):
        k += 1
    return k
