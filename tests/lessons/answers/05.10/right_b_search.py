"""Right: tries numbers one after the other; cut halves the partitions that are too large, and joins small neighbours first."""

import itertools
import math

import dask
import dask.dataframe as dd


def npartitions_for(table_bytes, device_bytes, shuffles):
    if shuffles:
        low, high = device_bytes / 32, device_bytes / 16
    else:
        low, high = device_bytes / 16, device_bytes / 8
    if table_bytes < low:
        return 1
    return next(number for number in itertools.count(1) if low <= table_bytes / number <= high)


@dask.delayed
def measure(part):
    return len(part), int(part.memory_usage(deep=True, index=True).sum())


@dask.delayed
def piece(part, first, last):
    return part.iloc[first:last]


def cut(table, most_bytes):
    total = int(table.memory_usage(deep=True, index=True).sum().compute())
    few = max(1, math.ceil(total / most_bytes))
    if table.npartitions > few:
        table = table.repartition(npartitions=few)
    open_ones, done = [((number,), part) for number, part in enumerate(table.to_delayed())], []
    while open_ones:
        measured = dask.compute(*[measure(part) for _, part in open_ones])
        halves = []
        for (path, part), (rows, size) in zip(open_ones, measured):
            if size <= most_bytes or rows < 2:
                done.append((path, part))
            else:
                halves.append(((*path, 0), piece(part, 0, rows // 2)))
                halves.append(((*path, 1), piece(part, rows // 2, rows)))
        open_ones = halves
    return dd.from_delayed(
        [part for _, part in sorted(done, key=lambda one: one[0])], meta=table._meta, verify_meta=False
    )
