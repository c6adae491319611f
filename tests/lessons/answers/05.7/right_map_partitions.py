"""A loop over the categories."""

import pandas as pd


def one_hot(table, column):
    names = sorted(table[column].dropna().unique().compute())

    def of(part):
        return pd.DataFrame({f"{column}_{n}": part[column].eq(n) for n in names}, index=part.index)

    return table.map_partitions(of, meta={f"{column}_{n}": "bool" for n in names})
