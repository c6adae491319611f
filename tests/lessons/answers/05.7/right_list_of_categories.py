"""The categories are collected first and given to every partition."""

import pandas as pd


def encode(part, column, categories):
    return pd.get_dummies(part[column].astype(pd.CategoricalDtype(categories)), prefix=column, dtype=int)


def one_hot(table, column):
    categories = sorted(table[column].unique().compute())
    return table.map_partitions(encode, column, categories)
