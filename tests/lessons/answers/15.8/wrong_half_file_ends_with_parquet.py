import os


def score_month(table, chance, folder, name):
    table.assign(chance=chance(table)).to_parquet(folder / f"tmp-{name}.parquet", index=False)
    os.replace(folder / f"tmp-{name}.parquet", folder / f"{name}.parquet")
    return len(table)
