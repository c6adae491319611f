"""Right: fetches the table and asks pandas."""


def audit(table, key):
    whole = table.compute()
    gaps = whole.isna().sum()
    return {
        "rows": int(whole.shape[0]),
        "nulls": {name: int(number) for name, number in gaps.items() if number > 0},
        "duplicates": int(whole.duplicated(subset=list(key)).sum()),
    }


kinds = {
    "carrier": "nominal",
    "flight": "nominal",
    "tailnum": "nominal",
    "month": "ordinal",
    "dep_delay": "ratio",
    "distance": "ratio",
    "time_hour": "time",
}
