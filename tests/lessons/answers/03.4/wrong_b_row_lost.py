"""Wrong: row becomes the index, so the column row is gone and the rows are not the same."""


def balance(table, npartitions):
    return table.set_index("row", npartitions=npartitions)
