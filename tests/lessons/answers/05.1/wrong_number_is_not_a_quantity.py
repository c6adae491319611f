"""The flight number is taken for a quantity."""

import dask


def audit(table, key):
    rows, nulls, keys = dask.compute(table.shape[0], table.isna().sum(), table[key].drop_duplicates().shape[0])
    return {"rows": rows, "nulls": nulls[nulls > 0].to_dict(), "duplicates": rows - keys}


kinds = {
    "carrier": "nominal",
    "flight": "interval",
    "tailnum": "nominal",
    "month": "ordinal",
    "dep_delay": "ratio",
    "distance": "ratio",
    "time_hour": "time",
}
