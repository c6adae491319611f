"""Enough partitions by the sum, but the rows are not spread evenly."""

import math


def npartitions_for(table_bytes, device_bytes, shuffles):
    return max(1, math.ceil(table_bytes * (16 if shuffles else 8) / device_bytes))


def cut(table, most_bytes):
    size = table.memory_usage(deep=True, index=False).sum().compute()
    return table.repartition(npartitions=max(1, int(size // most_bytes)))
