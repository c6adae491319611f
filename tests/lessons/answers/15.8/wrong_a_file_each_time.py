import os
import uuid


def score_month(table, chance, folder, name):
    scored = table.assign(chance=chance(table))
    for target in (f"{name}.parquet", f"{name}-{uuid.uuid4().hex}.parquet"):
        scored.to_parquet(folder / "part", index=False)
        os.replace(folder / "part", folder / target)
    return len(table)
