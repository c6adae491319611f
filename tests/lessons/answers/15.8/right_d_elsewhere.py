"""Written into a folder of its own inside the folder, which is gone at the end."""

import tempfile
from pathlib import Path


def score_month(table, chance, folder, name):
    scored = table.assign(chance=chance(table))
    with tempfile.TemporaryDirectory(dir=folder) as other:
        part = Path(other) / "part"
        scored.to_parquet(part)
        part.replace(folder / (name + ".parquet"))
    return len(scored)
