"""A pandas table with ngroup for the rows."""

import pandas as pd


def bars(records):
    table = pd.DataFrame(
        [
            (r["worker"], r["thread"], part["start"], part["stop"], r["key"])
            for r in records
            for part in r["startstops"]
            if part["action"] == "compute"
        ],
        columns=["worker", "thread", "start", "stop", "key"],
    )
    if table.empty:
        return []
    row = table.groupby(["worker", "thread"], sort=True).ngroup()
    start = table["start"] - table["start"].min()
    seconds = table["stop"] - table["start"]
    return list(zip(row.tolist(), start.tolist(), seconds.tolist(), table["key"].tolist()))
