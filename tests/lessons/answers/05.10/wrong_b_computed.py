"""Wrong: fetches the table and cuts it in the notebook, a list of tables and no "lazy table"."""

import math


def npartitions_for(table_bytes, device_bytes, shuffles):
    return max(1, math.ceil(table_bytes / (device_bytes / (16 if shuffles else 8))))


def cut(table, most_bytes):
    whole = table.compute()
    rows = max(1, len(whole) * most_bytes // (2 * int(whole.memory_usage(deep=True).sum())))
    return [whole.iloc[start : start + rows] for start in range(0, len(whole), rows)]
