"""Wrong: the file beside ends with .parquet and stays there, half written, when writing fails."""

import os

import numpy as np


def score_month(table, chance, folder, name):
    scored = table.assign(chance=np.asarray(chance(table)))
    beside = folder / (name + ".new.parquet")
    scored.to_parquet(beside)
    os.replace(beside, folder / (name + ".parquet"))
    return len(scored)
