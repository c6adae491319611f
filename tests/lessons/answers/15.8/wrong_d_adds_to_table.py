"""The column is added to the table that was given."""


def score_month(table, chance, folder, name):
    table["chance"] = chance(table)
    part = folder / (name + ".part")
    try:
        table.to_parquet(part)
        part.replace(folder / (name + ".parquet"))
    finally:
        part.unlink(missing_ok=True)
    return len(table)
