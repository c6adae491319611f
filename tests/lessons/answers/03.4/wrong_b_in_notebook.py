"""Wrong: gathers the table in the notebook and cuts it there."""

import dask.dataframe as dd


def balance(table, npartitions):
    return dd.from_pandas(table.compute(), npartitions=npartitions)
