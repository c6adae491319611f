import io
from pathlib import Path


def score_month(table, chance, folder, name):
    scored = table.copy()
    scored["chance"] = chance(table)
    buffer = io.BytesIO()
    scored.to_parquet(buffer)
    beside = Path(folder) / (name + ".tmp")
    beside.write_bytes(buffer.getvalue())
    beside.replace(Path(folder) / (name + ".parquet"))
    return scored.shape[0]
