"""Many small parts, by number of rows."""


def npartitions_for(table_bytes, device_bytes, shuffles):
    number = 1
    while table_bytes / number > device_bytes / (16 if shuffles else 8):
        number += 1
    return number


def cut(table, most_bytes):
    return table.repartition(partition_size=most_bytes // 5)
