"""Wrong: the two bands are swapped; "1/32 to 1/16 … where rows are shuffled"."""

import math


def npartitions_for(table_bytes, device_bytes, shuffles):
    largest = device_bytes / 8 if shuffles else device_bytes / 16
    return max(1, math.ceil(table_bytes / largest))


def cut(table, most_bytes):
    return table.repartition(partition_size=most_bytes // 2)
