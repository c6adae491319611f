"""Right: events +1 and -1, counted in pandas for the gap, idle time added up from the steps of the count."""

import pandas as pd


def _steps(records):
    events = []
    for record in records:
        for part in record["startstops"]:
            if part["action"] == "compute":
                events += [(part["start"], 1), (part["stop"], -1)]
    table = pd.DataFrame(events, columns=["time", "change"]).groupby("time", as_index=False)["change"].sum()
    table["busy"] = table["change"].cumsum()
    table["seconds"] = table["time"].shift(-1) - table["time"]
    return table.iloc[:-1]


def idle_share(records, threads):
    table = _steps(records)
    return float(((threads - table["busy"]) * table["seconds"]).sum() / (threads * table["seconds"].sum()))


def longest_gap(records):
    table = _steps(records)
    best, began, run = (0.0, 0.0), None, 0.0
    for time, busy, seconds in zip(table["time"], table["busy"], table["seconds"], strict=False):
        if busy:
            began, run = None, 0.0
            continue
        began = time if began is None else began
        run += seconds
        if run > best[1]:
            best = (float(began - table["time"].iloc[0]), float(run))
    return best
