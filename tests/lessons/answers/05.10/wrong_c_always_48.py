"""Wrong: always 48 partitions, whatever the limit is."""

import math


def npartitions_for(table_bytes, device_bytes, shuffles):
    return max(1, math.ceil(table_bytes * (16 if shuffles else 8) / device_bytes))


def cut(table, most_bytes):
    return table.repartition(npartitions=48)
