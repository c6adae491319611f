"""The same band for both."""

import math


def npartitions_for(table_bytes, device_bytes, shuffles):
    return max(1, math.ceil(table_bytes * 8 / device_bytes))


def cut(table, most_bytes):
    return table.repartition(partition_size=most_bytes)
