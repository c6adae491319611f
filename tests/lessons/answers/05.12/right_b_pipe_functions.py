"""Right: small functions of one table, put together by pipe."""


def departed(table):
    return table[~table["dep_delay"].isna()]


def with_fog(table, weather):
    joined = table.merge(weather[["origin", "time_hour", "visib"]], how="inner", on=["origin", "time_hour"])
    return joined.assign(fog=joined["visib"].lt(3))


def with_score(table):
    delay = table["dep_delay"]
    return table.assign(score=(delay - delay.mean()) / delay.std(ddof=1))


def report(table):
    return table.groupby(["origin", "fog"])["score"].agg(["count", "mean"])


def pipeline(flights, weather):
    return flights.pipe(departed).pipe(with_fog, weather).pipe(with_score).pipe(report)
