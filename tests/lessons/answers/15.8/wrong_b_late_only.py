"""Wrong: returns the number of likely late flights, not the number of rows."""

import os

import numpy as np


def score_month(table, chance, folder, name):
    beside = folder / (name + ".tmp")
    scored = table.assign(chance=np.asarray(chance(table)))
    try:
        scored.to_parquet(beside)
        os.replace(beside, folder / (name + ".parquet"))
    finally:
        beside.unlink(missing_ok=True)
    return int((scored["chance"] > 0.5).sum())
