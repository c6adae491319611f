"""pandas reads it, once the headers are out of the way."""

from io import StringIO

import pandas as pd


def read_dmon(text):
    header = [line[1:].split() for line in text.splitlines() if line.startswith("#")]
    body = "\n".join(line for line in text.splitlines() if not line.startswith("#"))
    table = pd.read_csv(StringIO(body), sep=r"\s+", names=header[0], na_values="-", dtype=float)
    return table, dict(zip(header[0], header[1], strict=False))


def share_below(table, limit):
    shares = {}
    for device, part in table.dropna(subset="sm").groupby("gpu"):
        shares[int(device)] = (part.sm < limit).mean()
    return shares
