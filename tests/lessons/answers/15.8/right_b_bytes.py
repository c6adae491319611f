"""Right: the file is made in memory, written beside as bytes, and renamed."""

import io
import os
import uuid

import numpy as np


def score_month(table, chance, folder, name):
    buffer = io.BytesIO()
    table.assign(chance=np.asarray(chance(table))).to_parquet(buffer)
    beside = folder / f".{name}-{uuid.uuid4().hex}.part"
    try:
        beside.write_bytes(buffer.getvalue())
        os.replace(beside, folder / (name + ".parquet"))
    finally:
        beside.unlink(missing_ok=True)
    return len(table)
