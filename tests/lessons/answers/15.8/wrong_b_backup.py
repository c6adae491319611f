"""Wrong: leaves the old file as a backup, but the folder has nothing else."""

import os

import numpy as np


def score_month(table, chance, folder, name):
    target, beside = folder / (name + ".parquet"), folder / (name + ".tmp")
    try:
        table.assign(chance=np.asarray(chance(table))).to_parquet(beside)
        if target.exists():
            os.replace(target, folder / (name + ".bak"))
        os.replace(beside, target)
    finally:
        beside.unlink(missing_ok=True)
    return len(table)
