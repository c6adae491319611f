"""The categories of the first partition."""

import pandas as pd


def encode(part, column, categories):
    return pd.get_dummies(part[column].astype(pd.CategoricalDtype(categories)), prefix=column, dtype=int)


def one_hot(table, column):
    categories = sorted(table.partitions[0][column].unique().compute())
    return table.map_partitions(encode, column, categories, meta=encode(table._meta, column, categories))
