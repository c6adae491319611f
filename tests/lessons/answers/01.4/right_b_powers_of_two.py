"""Builds the answer bit by bit from the largest power of two; one dask.compute for both numbers."""

import dask


def largest_scale(survives, highest):
    k = 0
    step = 1 << highest.bit_length()
    while step:
        if k + step <= highest and survives(k + step):
            k += step
        step //= 2
    return k


def dask_answer(table):
    column = table["dep_delay"]
    rows, total, count = dask.compute(column.size, column.sum(), column.count())
    return rows, total / count
