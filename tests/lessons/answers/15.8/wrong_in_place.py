def score_month(table, chance, folder, name):
    table.assign(chance=chance(table)).to_parquet(folder / f"{name}.parquet", index=False)
    return len(table)
