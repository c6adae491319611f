"""The old file is moved away first: after a failure it is not where it was."""


def score_month(table, chance, folder, name):
    target = folder / (name + ".parquet")
    old = folder / (name + ".old")
    if target.exists():
        target.rename(old)
    table.assign(chance=chance(table)).to_parquet(target)
    old.unlink(missing_ok=True)
    return len(table)
