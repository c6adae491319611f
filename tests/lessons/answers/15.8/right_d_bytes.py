"""The whole file in memory first, then to a hidden file beside it, and renamed."""

import os
import tempfile


def score_month(table, chance, folder, name):
    scored = table.copy()
    scored["chance"] = chance(table)
    handle, part = tempfile.mkstemp(dir=folder, prefix=".", suffix=".part")
    os.close(handle)
    try:
        scored.to_parquet(part)
        os.replace(part, folder / f"{name}.parquet")
    except BaseException:
        os.unlink(part)
        raise
    return len(scored)
