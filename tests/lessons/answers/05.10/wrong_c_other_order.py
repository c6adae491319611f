"""Wrong: all rows, but in the order of their values."""

import math


def npartitions_for(table_bytes, device_bytes, shuffles):
    return max(1, math.ceil(table_bytes * (16 if shuffles else 8) / device_bytes))


def cut(table, most_bytes):
    return table.sort_values("value").repartition(partition_size=most_bytes)
