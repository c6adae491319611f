import os

import pandas as pd


def score_month(table, chance, folder, name):
    scored = table.assign(chance=chance(table))
    file = folder / f"{name}.parquet"
    if file.exists():
        scored = pd.concat([pd.read_parquet(file), scored])
    scored.to_parquet(folder / f"{name}.part", index=False)
    os.replace(folder / f"{name}.part", file)
    return len(table)
