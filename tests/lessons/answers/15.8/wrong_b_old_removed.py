"""Wrong: removes the old file before it writes the new one, so a failure loses the run before."""

import os

import numpy as np


def score_month(table, chance, folder, name):
    target, beside = folder / (name + ".parquet"), folder / (name + ".tmp")
    target.unlink(missing_ok=True)
    try:
        table.assign(chance=np.asarray(chance(table))).to_parquet(beside)
        os.replace(beside, target)
    finally:
        beside.unlink(missing_ok=True)
    return len(table)
