"""Wrong: one column of numbers; asked is "one column per category"."""

import pandas as pd


def one_hot(table, column):
    categories = sorted(table[column].dropna().unique().compute().tolist())
    return table[[column]].map_partitions(
        lambda part: pd.DataFrame({column: pd.Index(categories).get_indexer(part[column])}, index=part.index)
    )
