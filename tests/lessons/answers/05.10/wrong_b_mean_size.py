"""Wrong: cut looks at the mean size only; long rows make a partition "above `most_bytes`"."""

import math


def npartitions_for(table_bytes, device_bytes, shuffles):
    return max(1, math.ceil(table_bytes / (device_bytes / (16 if shuffles else 8))))


def cut(table, most_bytes):
    total = table.memory_usage(deep=True).sum().compute()
    return table.repartition(npartitions=max(1, math.ceil(total / most_bytes)))
