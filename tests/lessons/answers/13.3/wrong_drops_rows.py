"""Wrong: read_dmon drops each row with any "-" (dropna), so devices with one unmeasured column vanish."""

import pandas as pd


def read_dmon(text):
    lines = [line for line in text.splitlines() if line.strip()]
    header = [line.strip("# ").split() for line in lines if line.startswith("#")]
    rows = [
        [float("nan" if word == "-" else word) for word in line.split()] for line in lines if not line.startswith("#")
    ]
    table = pd.DataFrame(rows, columns=header[0], dtype=float).dropna().reset_index(drop=True)
    return table, dict(zip(header[0], header[1], strict=False))


def share_below(table, limit):
    table = table.dropna(subset=["sm"])
    return {int(device): float((part["sm"] < limit).mean()) for device, part in table.groupby(table.columns[0])}
