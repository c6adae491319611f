"""Categories of pandas: an unknown label becomes -1."""

import pandas as pd


def distinct(block):
    return pd.Series(block).drop_duplicates().to_numpy()


def encode(block, categories):
    return pd.Categorical(block, categories=categories).codes
