def score_month(table, chance, folder, name):
    scored = table.assign(chance=chance(table))
    part = folder / (name + ".unfinished")
    try:
        scored.to_parquet(str(part), index=False)
    except BaseException:
        part.unlink(missing_ok=True)
        raise
    part.rename(folder / (name + ".parquet"))
    return len(scored)
