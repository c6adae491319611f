"""Drops the rows with a gap."""

import math


def npartitions_for(table_bytes, device_bytes, shuffles):
    least, most = (1 / 32, 1 / 16) if shuffles else (1 / 16, 1 / 8)
    if table_bytes <= most * device_bytes:
        return 1
    return math.ceil(table_bytes / (most * device_bytes))


def cut(table, most_bytes):
    return table.repartition(partition_size=most_bytes).dropna()
