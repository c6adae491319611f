"""Wrong: cut asks for a hundredth of the size, to be safe; "at most ten times as many partitions as that needs"."""

import math


def npartitions_for(table_bytes, device_bytes, shuffles):
    return max(1, math.ceil(table_bytes / (device_bytes / (16 if shuffles else 8))))


def cut(table, most_bytes):
    return table.repartition(partition_size=max(most_bytes // 100, 1))
