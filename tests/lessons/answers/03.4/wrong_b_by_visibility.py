"""Wrong: shuffles by visib, where most rows have the same value and stay together."""


def balance(table, npartitions):
    return table.shuffle("visib", npartitions=npartitions)
