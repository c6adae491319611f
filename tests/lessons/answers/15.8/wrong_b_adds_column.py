"""Wrong: adds the column to the table that it is given, which a function leaves as it was."""

import os

import numpy as np


def score_month(table, chance, folder, name):
    beside = folder / (name + ".tmp")
    table["chance"] = np.asarray(chance(table))
    try:
        table.to_parquet(beside)
        os.replace(beside, folder / (name + ".parquet"))
    finally:
        beside.unlink(missing_ok=True)
    return len(table)
