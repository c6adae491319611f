"""Style: pandas, sorted and with a cumulative sum of what has left before."""

import pandas as pd


def to_spill(buffers, needed, limit):
    if not buffers:
        return []
    table = pd.DataFrame(buffers)
    over = table["bytes"].sum() + needed - limit
    candidates = table[~table["exposed"].astype(bool)].sort_values("last_used")
    before = candidates["bytes"].cumsum() - candidates["bytes"]
    return candidates["name"][before < over].tolist()
