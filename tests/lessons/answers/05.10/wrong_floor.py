"""Rounded down: a partition can be too large."""


def npartitions_for(table_bytes, device_bytes, shuffles):
    return max(1, int(table_bytes // (device_bytes / (16 if shuffles else 8))))


def cut(table, most_bytes):
    return table.repartition(partition_size=most_bytes)
