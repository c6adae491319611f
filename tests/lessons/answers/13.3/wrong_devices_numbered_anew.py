import numpy as np
import pandas as pd


def read_dmon(text):
    lines = [line for line in text.splitlines() if line.strip()]
    names, units = (line.lstrip("# ").split() for line in lines[:2])
    rows = [line.split() for line in lines if not line.lstrip().startswith("#")]
    table = pd.DataFrame(rows, columns=names).replace("-", np.nan).astype(float)
    return table, dict(zip(names, units, strict=False))


def share_below(table, limit):
    groups = [part["sm"].dropna() for _, part in table.groupby("gpu")]
    return {place: float((sm < limit).mean()) for place, sm in enumerate(groups) if len(sm)}
