"""Style: pandas; a sign for each event (+1 for the stage and -1 for its parent), then groupby and sum."""

import pandas as pd


def breakdown(events, total):
    stack, rows = [], []
    for stage, what, at in events:
        sign = 1.0 if what == "end" else -1.0
        if what == "end":
            stack.pop()
        rows.append((stage, sign * at))
        if stack:
            rows.append((stack[-1], -sign * at))
        if what == "begin":
            stack.append(stage)
    table = pd.DataFrame(rows, columns=["stage", "seconds"])
    parts = {} if table.empty else table.groupby("stage")["seconds"].sum().to_dict()
    return {**parts, "other": total - sum(parts.values())}
