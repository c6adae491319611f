"""Wrong: the mean of the means of the partitions is not the mean of the column if the partitions differ."""

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
    means = table.dep_delay.map_partitions(lambda part: part.mean(), meta=("m", "f8"))
    rows, values = dask.compute(table.shape[0], means)
    return rows, values.mean()
