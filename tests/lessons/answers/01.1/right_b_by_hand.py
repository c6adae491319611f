"""Pointers and values of object columns are counted by hand with sys.getsizeof, other columns by nbytes."""

import sys


def table_bytes(sample, n_rows):
    total = 0
    for _, column in sample.items():
        total += column.nbytes
        if column.dtype == object:
            total += sum(sys.getsizeof(value) for value in column)
        elif not hasattr(column.dtype, "itemsize"):
            total += column.memory_usage(index=False, deep=True) - column.nbytes
    return n_rows * (total / len(sample))
