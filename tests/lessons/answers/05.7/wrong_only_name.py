import dask.dataframe as dd


def one_hot(table, column):
    return dd.get_dummies(table[[column]].categorize(columns=[column])[column], dtype="int8")
