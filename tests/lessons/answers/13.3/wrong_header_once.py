"""Wrong: skips the first two lines only; where the header comes again, float() fails."""

import pandas as pd


def read_dmon(text):
    lines = [line for line in text.splitlines() if line.strip()]
    names, units = lines[0].strip("# ").split(), lines[1].strip("# ").split()
    rows = [[float("nan" if word == "-" else word) for word in line.split()] for line in lines[2:]]
    return pd.DataFrame(rows, columns=names, dtype=float), dict(zip(names, units, strict=False))


def share_below(table, limit):
    table = table.dropna(subset=["sm"])
    return {int(device): float((part["sm"] < limit).mean()) for device, part in table.groupby(table.columns[0])}
