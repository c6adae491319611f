"""Rows at the edges are in two partitions."""


def balance(table, npartitions):
    even = table.shuffle("row", npartitions=npartitions)
    return even.map_partitions(lambda part: part.iloc[[0, *range(len(part))]])
