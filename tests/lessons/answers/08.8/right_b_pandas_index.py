"""Right: pandas' unique and get_indexer, which gives -1 for what is not there."""

import pandas as pd


def distinct(block):
    return pd.unique(pd.Series(block)).tolist()


def encode(block, categories):
    return pd.Index(list(categories)).get_indexer(pd.Index(list(block)))
