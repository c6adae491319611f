"""Wrong: "-" becomes 0, so devices that were not measured are idle."""

import pandas as pd


def read_dmon(text):
    lines = [line for line in text.splitlines() if line.strip()]
    header = [line.strip("# ").split() for line in lines if line.startswith("#")]
    rows = [
        [0.0 if word == "-" else float(word) for word in line.split()] for line in lines if not line.startswith("#")
    ]
    return pd.DataFrame(rows, columns=header[0], dtype=float), dict(zip(header[0], header[1], strict=False))


def share_below(table, limit):
    return {int(device): float((part["sm"] < limit).mean()) for device, part in table.groupby(table.columns[0])}
