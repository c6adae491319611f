"""New partition i takes the rows with row % n == i from all old ones, with delayed functions."""

import dask.dataframe as dd
import pandas as pd
from dask import delayed


def pick(part, i, n):
    return part[part["row"] % n == i]


def balance(table, npartitions):
    old = table.to_delayed()
    join = delayed(pd.concat)
    new = [join([delayed(pick)(part, i, npartitions) for part in old]) for i in range(npartitions)]
    return dd.from_delayed(new, meta=table._meta, verify_meta=False)
