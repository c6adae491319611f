import os


def score_month(table, chance, folder, name):
    scored = table.assign(chance=chance(table)).sort_values("chance", ascending=False)
    scored.to_parquet(folder / f"{name}.part", index=False)
    os.replace(folder / f"{name}.part", folder / f"{name}.parquet")
    return len(scored)
