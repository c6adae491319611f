"""Columns without a gap are named as well."""

import dask


def audit(table, key):
    rows, nulls, keys = dask.compute(table.shape[0], table.isna().sum(), table[key].drop_duplicates().shape[0])
    return {"rows": rows, "nulls": nulls.to_dict(), "duplicates": rows - keys}


kinds = {
    "carrier": "nominal",
    "flight": "nominal",
    "tailnum": "nominal",
    "month": "ordinal",
    "dep_delay": "ratio",
    "distance": "ratio",
    "time_hour": "time",
}
