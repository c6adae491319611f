"""A while loop with a known good and a known bad number; futures of the client of the moment."""

import dask


def largest_scale(survives, highest):
    good, bad = 0, highest + 1
    while bad - good > 1:
        k = good + (bad - good) // 2
        if survives(k):
            good = k
        else:
            bad = k
    return good


def dask_answer(table):
    rows, mean = dask.persist(table.index.size, table.dep_delay.mean())
    return int(rows.compute()), float(mean.compute())
