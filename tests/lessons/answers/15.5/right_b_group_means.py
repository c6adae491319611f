"""Right: pandas gives each flight the mean of its equals, and then the first of the sorted list are taken."""

import math

import numpy as np
import pandas as pd


def lift(chance, late, share):
    table = pd.DataFrame({"chance": np.asarray(chance), "late": np.asarray(late).astype(float)})
    fair = table.groupby("chance")["late"].transform("mean")
    n = max(1, math.floor(share * len(table)))
    first = table["chance"].sort_values(ascending=False).index[:n]
    return float(fair[first].mean() / table["late"].mean())
