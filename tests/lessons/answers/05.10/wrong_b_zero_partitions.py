"""Wrong: a small table gets 0 partitions; "a table that is smaller than the band is one partition"."""


def npartitions_for(table_bytes, device_bytes, shuffles):
    return int(table_bytes // (device_bytes / (32 if shuffles else 16)))


def cut(table, most_bytes):
    return table.repartition(partition_size=most_bytes // 2)
