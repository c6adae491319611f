"""Wrong: returns a list of pandas tables, not a lazy table, and gathers all rows."""

import numpy as np


def balance(table, npartitions):
    here = table.compute().sort_values("row")
    return [here.iloc[i] for i in np.array_split(np.arange(len(here)), npartitions)]
