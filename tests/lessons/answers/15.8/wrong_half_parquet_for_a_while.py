"""Wrong: the half file ends with .parquet, until it is cleaned up."""

import os

import numpy as np


def score_month(table, chance, folder, name):
    beside = folder / "beside.parquet"
    try:
        table.assign(chance=np.asarray(chance(table))).to_parquet(beside)
        os.replace(beside, folder / (name + ".parquet"))
    except BaseException:
        beside.unlink(missing_ok=True)
        raise
    return len(table)
