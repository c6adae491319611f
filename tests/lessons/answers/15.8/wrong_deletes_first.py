import os


def score_month(table, chance, folder, name):
    (folder / f"{name}.parquet").unlink(missing_ok=True)
    table.assign(chance=chance(table)).to_parquet(folder / f"{name}.part", index=False)
    os.replace(folder / f"{name}.part", folder / f"{name}.parquet")
    return len(table)
