"""Each partition has its own mean and deviation."""


def normalise(part):
    delay = part["dep_delay"]
    return part.assign(score=(delay - delay.mean()) / delay.std())


def pipeline(flights, weather):
    departed = flights.dropna(subset=["dep_delay"])
    joined = departed.merge(weather[["origin", "time_hour", "visib"]], on=["origin", "time_hour"])
    joined = joined.assign(fog=joined["visib"] < 3).map_partitions(normalise)
    return joined.groupby(["origin", "fog"])["score"].agg(["count", "mean"])
