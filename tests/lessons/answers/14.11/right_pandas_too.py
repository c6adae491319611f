"""Style: a contribution is a table of pandas with sum and count."""

import pandas as pd


def partial(rows):
    rows = [(k, float(v)) for k, v in rows if v is not None]
    table = pd.DataFrame({"key": [k for k, _ in rows], "value": pd.Series([v for _, v in rows], dtype="float64")})
    return table.groupby("key")["value"].agg(["sum", "count"])


def combine(a, b):
    return pd.concat([a, b]).groupby(level=0).sum()


def finish(total):
    return {key: float(row["sum"] / row["count"]) for key, row in total.iterrows() if row["count"] > 0}
