"""As large as the device: no room to work."""

import math


def npartitions_for(table_bytes, device_bytes, shuffles):
    return math.ceil(table_bytes / device_bytes)


def cut(table, most_bytes):
    return table.repartition(partition_size=most_bytes)
