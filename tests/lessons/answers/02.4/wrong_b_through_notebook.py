"""Wrong: brings the rows to the notebook and makes a Dask table of them again; they must be kept on the workers."""

import dask.dataframe as dd


def prepare(table):
    here = table[table.dep_delay > 120][["carrier", "dep_delay", "distance"]].compute()
    return dd.from_pandas(here, npartitions=table.npartitions)
