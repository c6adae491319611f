"""Wrong: the columns of the example are hard-coded; another -s gives wrong names or an error."""

import pandas as pd

NAMES = ["gpu", "pwr", "gtemp", "mtemp", "sm", "mem", "fb", "rxpci", "txpci"]
UNITS = ["Idx", "W", "C", "C", "%", "%", "MB", "MB/s", "MB/s"]


def read_dmon(text):
    rows = []
    for line in text.splitlines():
        if line.strip() and not line.startswith("#"):
            rows.append([float("nan" if word == "-" else word) for word in line.split()])
    return pd.DataFrame(rows, columns=NAMES, dtype=float), dict(zip(NAMES, UNITS, strict=False))


def share_below(table, limit):
    table = table.dropna(subset=["sm"])
    return {int(device): float((part["sm"] < limit).mean()) for device, part in table.groupby("gpu")}
