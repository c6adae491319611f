"""The part of an earlier call that failed is left, and the next call uses another name."""

import uuid


def score_month(table, chance, folder, name):
    part = folder / f"{name}-{uuid.uuid4().hex}.parquet"
    table.assign(chance=chance(table)).to_parquet(part)
    part.replace(folder / (name + ".parquet"))
    return len(table)
