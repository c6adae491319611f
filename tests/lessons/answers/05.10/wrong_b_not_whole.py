"""Wrong: returns a broken number (12.5) of partitions; asked is "a number of partitions"."""


def npartitions_for(table_bytes, device_bytes, shuffles):
    return max(1, table_bytes / (device_bytes * 3 / (64 if shuffles else 32)))


def cut(table, most_bytes):
    return table.repartition(partition_size=most_bytes // 2)
