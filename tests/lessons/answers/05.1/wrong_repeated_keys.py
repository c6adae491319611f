"""Counts the keys that occur again, not the rows."""

import dask


def audit(table, key):
    nulls = dask.compute({name: table[name].isna().sum() for name in table.columns})[0]
    again = int((table.groupby(key, dropna=False).size() > 1).sum().compute())
    rows = len(table)
    return {"rows": rows, "nulls": {name: int(n) for name, n in nulls.items() if n}, "duplicates": again}


kinds = {
    "carrier": "nominal",
    "flight": "nominal",
    "tailnum": "nominal",
    "month": "ordinal",
    "dep_delay": "interval",
    "distance": "ratio",
    "time_hour": "time",
}
