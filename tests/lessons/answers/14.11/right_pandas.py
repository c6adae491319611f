"""Data frames of pandas."""

import pandas as pd


def partial(rows):
    table = pd.DataFrame(list(rows), columns=["key", "value"]).astype({"value": "float64"})
    return table.groupby("key")["value"].agg(["sum", "count"])


def combine(a, b):
    return a.add(b, fill_value=0)


def finish(total):
    total = total[total["count"] > 0]
    return (total["sum"] / total["count"]).to_dict()
