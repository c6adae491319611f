"""Wrong: the columns are named UA, not "like `carrier_UA`"."""

import dask.dataframe as dd


def one_hot(table, column):
    return dd.get_dummies(table[column].astype("category").cat.as_known(), dtype=int)
