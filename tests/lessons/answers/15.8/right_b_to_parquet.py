"""Right: to_parquet into a file beside with another ending, which is removed if anything fails."""

import os
import tempfile
from pathlib import Path


def score_month(table, chance, folder, name):
    scored = table.copy()
    scored["chance"] = list(chance(table))
    handle, beside = tempfile.mkstemp(prefix=name, suffix=".tmp", dir=folder)
    os.close(handle)
    try:
        scored.to_parquet(beside, index=False)
        os.replace(beside, folder / f"{name}.parquet")
    except BaseException:
        Path(beside).unlink(missing_ok=True)
        raise
    return len(scored)
