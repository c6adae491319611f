"""The time after each event belongs to the innermost open stage."""

import pandas as pd


def breakdown(events, total):
    table = pd.DataFrame(events, columns=["stage", "what", "at"])
    owners, stack = [], []
    for row in table.itertuples():
        stack.append(row.stage) if row.what == "begin" else stack.pop()
        owners.append(stack[-1] if stack else "other")
    table["owner"] = owners
    table["seconds"] = table["at"].shift(-1).fillna(table["at"].iloc[-1]) - table["at"]
    parts = table.groupby("owner")["seconds"].sum().to_dict()
    parts = {name: parts.get(name, 0.0) for name in table["stage"]}
    parts["other"] = total - sum(parts.values())
    return parts
