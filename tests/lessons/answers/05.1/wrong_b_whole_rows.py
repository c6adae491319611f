"""Wrong: ignores `key` and looks for whole rows that are equal."""


def audit(table, key):
    whole = table.compute()
    nulls = whole.isna().sum()
    return {
        "rows": len(whole),
        "nulls": {name: int(number) for name, number in nulls.items() if number},
        "duplicates": int(whole.duplicated().sum()),
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
