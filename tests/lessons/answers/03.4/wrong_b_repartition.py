"""Wrong: repartition does not look at the number of rows, so the partitions are not about equal."""


def balance(table, npartitions):
    return table.repartition(npartitions=npartitions)
