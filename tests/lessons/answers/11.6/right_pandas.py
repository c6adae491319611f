"""A table, and running sums."""

import pandas as pd


def to_spill(buffers, needed, limit):
    if not buffers:
        return []
    table = pd.DataFrame(buffers).sort_values("last_used")
    over = table["bytes"].sum() + needed - limit
    movable = table[~table["exposed"]]
    before = movable["bytes"].cumsum() - movable["bytes"]
    return list(movable.loc[before < over, "name"])
