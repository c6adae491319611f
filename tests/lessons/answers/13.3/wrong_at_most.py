"""Wrong: <= counts samples that are exactly at the limit."""

import pandas as pd


def read_dmon(text):
    lines = [line for line in text.splitlines() if line.strip()]
    header = [line.strip("# ").split() for line in lines if line.startswith("#")]
    rows = [
        [float("nan" if word == "-" else word) for word in line.split()] for line in lines if not line.startswith("#")
    ]
    return pd.DataFrame(rows, columns=header[0], dtype=float), dict(zip(header[0], header[1], strict=False))


def share_below(table, limit):
    table = table.dropna(subset=["sm"])
    return {int(device): float((part["sm"] <= limit).mean()) for device, part in table.groupby(table.columns[0])}
