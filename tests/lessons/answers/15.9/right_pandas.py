import numpy as np
import pandas as pd


def psi(reference, current, bins=10):
    edges = pd.Series(reference).dropna().quantile(np.arange(1, bins) / bins).drop_duplicates().to_numpy()

    def shares(values):
        column = pd.cut(pd.Series(values), [-np.inf, *edges, np.inf], right=False, labels=False).fillna(-1)
        counts = column.value_counts().reindex(range(-1, len(edges) + 1), fill_value=0) + 0.5
        return counts / counts.sum()

    r, c = shares(reference), shares(current)
    return (c * np.log(c / r)).sum() + (r * np.log(r / c)).sum()


def alarms(indices, limit=0.25):
    column = pd.Series(indices, dtype=float).sort_values(ascending=False)
    return column[column > limit].index.tolist()
