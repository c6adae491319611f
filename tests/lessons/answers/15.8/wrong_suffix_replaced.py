"""`with_suffix` takes what stands behind a dot in the name for a suffix."""

import os


def score_month(table, chance, folder, name):
    final = (folder / name).with_suffix(".parquet")
    beside = final.with_suffix(".part")
    table.assign(chance=chance(table)).to_parquet(beside, index=False)
    os.replace(beside, final)
    return len(table)
