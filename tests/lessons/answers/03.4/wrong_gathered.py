"""All rows come to the notebook."""

import dask.dataframe as dd


def balance(table, npartitions):
    return dd.from_pandas(table.compute(), npartitions=npartitions)
