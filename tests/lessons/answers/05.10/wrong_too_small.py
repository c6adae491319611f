"""Always a thousand partitions."""


def npartitions_for(table_bytes, device_bytes, shuffles):
    return 1000


def cut(table, most_bytes):
    return table.repartition(partition_size=most_bytes)
