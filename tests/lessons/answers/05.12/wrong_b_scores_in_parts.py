"""Wrong: normalises each partition by its own mean and deviation, another result."""


def pipeline(flights, weather):
    hours = weather[["origin", "time_hour", "visib"]]
    table = flights.dropna(subset=["dep_delay"]).merge(hours, on=["origin", "time_hour"])

    def score(part):
        delay = part["dep_delay"]
        return part.assign(fog=part["visib"] < 3, score=(delay - delay.mean()) / delay.std())

    return table.map_partitions(score).groupby(["origin", "fog"])["score"].agg(["count", "mean"])
