"""Whole numbers only, and rows per partition counted beforehand."""

import dask.dataframe as dd


def npartitions_for(table_bytes, device_bytes, shuffles):
    pieces = 16 if shuffles else 8
    return max(1, -(-table_bytes * pieces // device_bytes))


def piece(block, start, stop):
    return block.iloc[start:stop]


def cut(table, most_bytes):
    parts = []
    for number in range(table.npartitions):
        part = table.partitions[number]
        size = part.memory_usage(deep=True, index=False).sum().compute()
        rows, pieces = len(part), -(-int(size) // most_bytes)
        step = max(1, rows // max(1, pieces + 1))
        parts += [part.map_partitions(piece, at, at + step) for at in range(0, rows, step)]
    return dd.concat(parts)
