"""A full disk is noticed, but the error does not come out."""


def score_month(table, chance, folder, name):
    part = folder / (name + ".part")
    try:
        table.assign(chance=chance(table)).to_parquet(part)
        part.replace(folder / (name + ".parquet"))
    except OSError:
        part.unlink(missing_ok=True)
        return 0
    return len(table)
