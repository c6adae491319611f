"""Wrong: does nothing where the file exists, but it must have what the last call gave."""

import os

import numpy as np


def score_month(table, chance, folder, name):
    target, beside = folder / (name + ".parquet"), folder / (name + ".tmp")
    if not target.exists():
        try:
            table.assign(chance=np.asarray(chance(table))).to_parquet(beside)
            os.replace(beside, target)
        finally:
            beside.unlink(missing_ok=True)
    return len(table)
