"""Wrong: rounds down with the largest size, so a partition is above the band."""


def npartitions_for(table_bytes, device_bytes, shuffles):
    largest = device_bytes / (16 if shuffles else 8)
    return max(1, int(table_bytes // largest))


def cut(table, most_bytes):
    return table.repartition(partition_size=most_bytes // 2)
