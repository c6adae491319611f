"""Wrong: the option `shuffles` is ignored, always 1/16."""

import math


def npartitions_for(table_bytes, device_bytes, shuffles):
    return max(1, math.ceil(table_bytes / (device_bytes / 16)))


def cut(table, most_bytes):
    return table.repartition(partition_size=most_bytes // 2)
