import numpy as np
import pandas as pd


def read_dmon(text):
    lines = [line for line in text.splitlines() if line.strip()]
    names, units = (line.lstrip("# ").split() for line in lines[:2])
    rows = [line.lstrip("# ").split() for line in lines[2:] if "Idx" not in line]
    rows = [row if row[0] != "gpu" else ["-"] * len(names) for row in rows]
    table = pd.DataFrame(rows, columns=names).replace("-", np.nan).astype(float)
    return table, dict(zip(names, units, strict=False))


def share_below(table, limit):
    measured = table[table["sm"].notna()]
    low = measured["sm"] < limit
    return {int(device): float(share) for device, share in low.groupby(measured["gpu"]).mean().items()}
