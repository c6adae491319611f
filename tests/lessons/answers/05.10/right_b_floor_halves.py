"""Right: the most partitions of the band; cut halves the number of bytes until no partition is too large."""


def npartitions_for(table_bytes, device_bytes, shuffles):
    smallest = device_bytes / (32 if shuffles else 16)
    return max(int(table_bytes // smallest), 1)


def cut(table, most_bytes):
    goal = most_bytes
    while True:
        smaller = table.repartition(partition_size=int(goal))
        sizes = smaller.map_partitions(lambda part: part.memory_usage(deep=True, index=True).sum()).compute()
        if max(sizes) <= most_bytes:
            return smaller
        goal = goal * 0.8
