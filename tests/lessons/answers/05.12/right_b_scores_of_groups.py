"""Right: normalises the few group means instead of all rows, which is the same."""


def pipeline(flights, weather):
    columns = ["origin", "time_hour"]
    table = (
        flights[columns + ["dep_delay"]].dropna(subset=["dep_delay"]).merge(weather[columns + ["visib"]], on=columns)
    )
    table = table.assign(fog=table["visib"] < 3)
    mean, deviation = table["dep_delay"].mean(), table["dep_delay"].var() ** 0.5
    groups = table.groupby(["origin", "fog"])["dep_delay"].agg(["count", "mean"])
    return groups.assign(mean=(groups["mean"] - mean) / deviation)
