"""Wrong: six partitions as in the notebook, whatever npartitions is."""


def balance(table, npartitions):
    return table.shuffle("row", npartitions=6)
