import numpy as np
import pandas as pd


def read_dmon(text):
    lines = [line for line in text.splitlines() if line.strip()]
    names, units = (line.lstrip("# ").split() for line in lines[:2])
    rows = [line.split() for line in lines if not line.lstrip().startswith("#")]
    table = pd.DataFrame(rows, columns=names).replace("-", np.nan).astype(float)
    return table, dict(zip(names, units, strict=False))


def share_below(table, limit):
    found = {}
    for device, part in table.groupby("gpu"):
        sm = part["sm"].dropna()
        found[int(device)] = float((sm < limit).mean()) if len(sm) else float("nan")
    return found
