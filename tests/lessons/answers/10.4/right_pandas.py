"""Right: pandas, min of the series."""

import numpy as np
import pandas as pd


def verdict(losses, wanted):
    s = pd.Series(list(losses), dtype=float).replace([np.inf, -np.inf], np.nan)
    return "diverges" if s.hasnans or s.iloc[0] < s.iloc[-1] else "good" if s.min() <= wanted else "slow"
