import os

import pandas as pd


def score_month(table, chance, folder, name):
    scored = table.assign(chance=pd.Series(chance(table)))  # joined by the index of the table
    scored.to_parquet(folder / f"{name}.part", index=False)
    os.replace(folder / f"{name}.part", folder / f"{name}.parquet")
    return len(table)
