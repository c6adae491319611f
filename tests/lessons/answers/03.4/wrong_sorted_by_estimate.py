"""Sorted rows, in partitions whose limits Dask estimates from a sample."""


def balance(table, npartitions):
    return table.sort_values("row", npartitions=npartitions)
