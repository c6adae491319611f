"""Wrong: counts each repeated key once, although "a key may be there three times"."""


def audit(table, key):
    whole = table.compute()
    nulls = whole.isna().sum()
    sizes = whole.groupby(key, dropna=False).size()
    return {
        "rows": len(whole),
        "nulls": {name: int(number) for name, number in nulls.items() if number},
        "duplicates": int((sizes > 1).sum()),
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
