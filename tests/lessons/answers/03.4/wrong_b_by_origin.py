"""Wrong: shuffles by origin, which has three values for all partitions."""


def balance(table, npartitions):
    return table.shuffle("origin", npartitions=npartitions)
