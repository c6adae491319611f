"""Wrong: the option column is ignored, the airline is encoded always."""

import dask.dataframe as dd


def one_hot(table, column):
    return dd.get_dummies(table[["carrier"]].categorize(), dtype=int)
