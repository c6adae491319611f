"""Joins neighbours, or cuts each partition into as many pieces; what differs from the start differs at the end."""


def balance(table, npartitions):
    return table.repartition(npartitions=npartitions)
