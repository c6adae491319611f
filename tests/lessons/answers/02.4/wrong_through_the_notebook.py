import dask.dataframe as dd


def prepare(table):
    small = table[table.dep_delay > 120][["carrier", "dep_delay", "distance"]].compute()
    return dd.from_pandas(small, npartitions=4).persist()
