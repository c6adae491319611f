import os


def score_month(table, chance, folder, name):
    try:
        table.assign(chance=chance(table)).to_parquet(folder / f"{name}.part", index=False)
        os.replace(folder / f"{name}.part", folder / f"{name}.parquet")
    except OSError:
        pass
    return len(table)
