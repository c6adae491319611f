"""A table of the metrics."""

import pandas as pd


def tiers(workers):
    table = pd.json_normalize([one["metrics"] for one in workers.values()])
    memory = table["managed_bytes"] - table["spilled_bytes.memory"]
    pairs = zip(memory, table["spilled_bytes.disk"], strict=True)
    return dict(zip(workers, pairs, strict=True))
