"""Right: each partition becomes a NumPy table of 0 and 1 by codes against the common categories."""

import numpy as np
import pandas as pd


def one_hot(table, column):
    found = table[column].value_counts().compute()
    categories = [one for one in sorted(found.index.tolist()) if found[one] > 0]
    names = [f"{column}_{one}" for one in categories]

    def encode(part):
        codes = pd.Index(categories).get_indexer(part[column])
        hot = (codes[:, None] == np.arange(len(categories))[None, :]).astype(np.uint8)
        return pd.DataFrame(hot, columns=names, index=part.index)

    meta = pd.DataFrame({name: pd.Series(dtype="uint8") for name in names})
    return table.map_partitions(encode, meta=meta)
