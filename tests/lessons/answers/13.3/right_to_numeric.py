import pandas as pd


def read_dmon(text):
    lines = text.strip().splitlines()
    names = lines[0].strip("# ").split()
    units = dict(zip(names, lines[1].strip("# ").split(), strict=False))
    rows = []
    for line in lines:
        if line.strip() and "#" not in line:
            rows.append(line.split())
    table = pd.DataFrame(rows, columns=names)
    return table.apply(pd.to_numeric, errors="coerce").astype("float64"), units


def share_below(table, limit):
    result = {}
    for device in table["gpu"].unique():
        sm = table.loc[table["gpu"] == device, "sm"].dropna()
        if len(sm):
            result[int(device)] = float((sm < limit).sum() / len(sm))
    return result
