"""Wrong: writes only the chance, but all columns of the table are to be written."""

import os

import numpy as np
import pandas as pd


def score_month(table, chance, folder, name):
    beside = folder / (name + ".tmp")
    try:
        pd.DataFrame({"chance": np.asarray(chance(table))}).to_parquet(beside)
        os.replace(beside, folder / (name + ".parquet"))
    finally:
        beside.unlink(missing_ok=True)
    return len(table)
