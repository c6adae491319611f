"""Wrong: cuts the large partitions by taking a sample, so not the same rows come back."""


def balance(table, npartitions):
    return table.sample(frac=0.9, random_state=0).shuffle("row", npartitions=npartitions)
