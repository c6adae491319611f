"""Wrong: writes into the file itself, so a failure in the middle leaves half a file and not the one of the run before."""

import numpy as np


def score_month(table, chance, folder, name):
    scored = table.assign(chance=np.asarray(chance(table)))
    scored.to_parquet(folder / (name + ".parquet"))
    return len(scored)
