"""Wrong: counts down from the highest, one question for each number, without halving."""

import dask


def dask_answer(table):
    rows, mean = dask.compute(table.shape[0], table.dep_delay.mean())
    return rows, mean


def largest_scale(survives, highest):
    return next((k for k in range(highest, 0, -1) if survives(k)), 0)
