import os

import pandas as pd


def score_month(table, chance, folder, name):
    pd.DataFrame({"chance": chance(table)}).to_parquet(folder / f"{name}.part", index=False)
    os.replace(folder / f"{name}.part", folder / f"{name}.parquet")
    return len(table)
