"""Wrong: keeps the old number of partitions and ignores npartitions."""


def balance(table, npartitions):
    return table.shuffle("row")
