"""Right: pandas cuts into half-open intervals; a Series sorts the alarms."""

import numpy as np
import pandas as pd


def psi(reference, current, bins=10):
    reference, current = pd.Series(reference, dtype="float64"), pd.Series(current, dtype="float64")
    known = reference.dropna().to_numpy()
    cuts = np.unique(np.quantile(known, np.arange(1, bins) / bins)) if len(known) else []
    borders = [-np.inf, *cuts, np.inf]

    def shares(column):
        part = pd.cut(column, borders, right=False, labels=False)
        part = part.mask(np.isposinf(column), len(borders) - 2).fillna(len(borders) - 1)
        counts = part.value_counts().reindex(range(len(borders)), fill_value=0) + 0.5
        return counts / counts.sum()

    r, c = shares(reference), shares(current)
    return float(((c - r) * np.log(c / r)).sum())


def alarms(indices, limit=0.25):
    found = pd.Series(indices, dtype="float64")
    return found[found > limit].sort_values(ascending=False).index.tolist()
