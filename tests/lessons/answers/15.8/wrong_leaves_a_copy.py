import shutil


def score_month(table, chance, folder, name):
    table.assign(chance=chance(table)).to_parquet(folder / f"{name}.part", index=False)
    shutil.copy(folder / f"{name}.part", folder / f"{name}.parquet")
    return len(table)
