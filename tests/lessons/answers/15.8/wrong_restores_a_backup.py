"""Wrong: written under its final name; what was there comes back only if nothing crashes."""

import numpy as np


def score_month(table, chance, folder, name):
    target = folder / (name + ".parquet")
    old = target.read_bytes() if target.exists() else None
    try:
        table.assign(chance=np.asarray(chance(table))).to_parquet(target)
    except BaseException:
        target.unlink(missing_ok=True)
        if old is not None:
            target.write_bytes(old)
        raise
    return len(table)
