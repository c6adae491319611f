"""Right: pandas read_csv of the lines of figures; groupby and mean of the samples that were measured."""

import io

import pandas as pd


def read_dmon(text):
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    header = [line.lstrip("# ").split() for line in lines if line.startswith("#")][:2]
    rows = "\n".join(line for line in lines if not line.startswith("#"))
    table = pd.read_csv(io.StringIO(rows), sep=r"\s+", names=header[0], na_values=["-"], dtype=float, index_col=False)
    return table, dict(zip(*header, strict=False))


def share_below(table, limit):
    measured = table.dropna(subset=["sm"])
    shares = (measured["sm"] < limit).groupby(measured.iloc[:, 0]).mean()
    return {int(device): float(share) for device, share in shares.items()}
