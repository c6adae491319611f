"""A distance of 0 is no distance: twice as far means something."""

import dask
import pandas as pd


def look(part, key):
    return len(part), part.isna().sum(), part[key].drop_duplicates()


def audit(table, key):
    results = dask.compute(*[dask.delayed(look)(part, key) for part in table.to_delayed()])
    rows = sum(result[0] for result in results)
    nulls = sum(result[1] for result in results)
    keys = pd.concat([result[2] for result in results]).drop_duplicates()
    return {"rows": rows, "nulls": {name: n for name, n in nulls.items() if n > 0}, "duplicates": rows - len(keys)}


kinds = {
    "carrier": "nominal",
    "flight": "nominal",
    "tailnum": "nominal",
    "month": "ordinal",
    "dep_delay": "ratio",
    "distance": "interval",
    "time_hour": "time",
}
