"""Wrong: adds its rows to those of the call before, but the file has what the last call gave."""

import os

import numpy as np
import pandas as pd


def score_month(table, chance, folder, name):
    target, beside = folder / (name + ".parquet"), folder / (name + ".tmp")
    scored = table.assign(chance=np.asarray(chance(table)))
    if target.exists():
        scored = pd.concat([pd.read_parquet(target), scored])
    try:
        scored.to_parquet(beside)
        os.replace(beside, target)
    finally:
        beside.unlink(missing_ok=True)
    return len(table)
