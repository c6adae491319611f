"""One comparison per category."""

import dask.dataframe as dd


def one_hot(table, column):
    names = sorted(table[column].drop_duplicates().compute())
    return dd.concat([(table[column] == name).astype("int8").rename(f"{column}_{name}") for name in names], axis=1)
