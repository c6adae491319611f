"""Right: one partition after the other, with a set of the keys that were there before."""


def audit(table, key):
    rows, nulls, before, duplicates = 0, {}, set(), 0
    for number in range(table.npartitions):
        part = table.partitions[number].compute()
        rows += len(part)
        for name in part.columns:
            gaps = int(part[name].isna().sum())
            if gaps:
                nulls[name] = nulls.get(name, 0) + gaps
        columns = []
        for name in key:
            values, gap = part[name].tolist(), part[name].isna().tolist()
            columns.append([("gap",) if missing else ("value", value) for value, missing in zip(values, gap)])
        for one in zip(*columns):
            if one in before:
                duplicates += 1
            else:
                before.add(one)
    return {"rows": rows, "nulls": nulls, "duplicates": duplicates}


kinds = {
    "carrier": "nominal",
    "flight": "nominal",
    "tailnum": "nominal",
    "month": "ordinal",
    "dep_delay": "ratio",
    "distance": "ratio",
    "time_hour": "time",
}
