"""Wrong: shuffles by row % npartitions; these few values fall into the same partition by chance, others stay empty."""


def balance(table, npartitions):
    helper = table.assign(bucket=table["row"] % npartitions)
    return helper.shuffle("bucket", npartitions=npartitions).drop(columns="bucket")
