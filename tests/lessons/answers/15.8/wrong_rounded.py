import os


def score_month(table, chance, folder, name):
    table.assign(chance=chance(table).round(3)).to_parquet(folder / f"{name}.part", index=False)
    os.replace(folder / f"{name}.part", folder / f"{name}.parquet")
    return len(table)
