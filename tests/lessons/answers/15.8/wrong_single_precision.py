"""Writes the chances in 4 bytes."""

import os

import numpy as np


def score_month(table, chance, folder, name):
    beside = folder / f"{name}.parquet.part"
    table.assign(chance=np.asarray(chance(table), dtype="float32")).to_parquet(beside, index=False)
    os.replace(beside, folder / f"{name}.parquet")
    return len(table)
