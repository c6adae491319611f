import os


def score_month(table, chance, folder, name):
    beside = folder / f".{name}.part"
    table.assign(chance=chance(table)).to_parquet(beside, index=False)
    os.replace(beside, folder / f"{name}.parquet")
    return len(table)
