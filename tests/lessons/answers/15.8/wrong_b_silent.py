"""Wrong: swallows the error of a full disk and returns 0, but the error has to come out."""

import os

import numpy as np


def score_month(table, chance, folder, name):
    beside = folder / (name + ".tmp")
    try:
        table.assign(chance=np.asarray(chance(table))).to_parquet(beside)
        os.replace(beside, folder / (name + ".parquet"))
    except OSError as error:
        print(f"{name}: {error}")
        beside.unlink(missing_ok=True)
        return 0
    return len(table)
