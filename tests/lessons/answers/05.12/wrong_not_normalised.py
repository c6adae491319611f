"""Plain delays."""


def pipeline(flights, weather):
    departed = flights.dropna(subset=["dep_delay"])
    joined = departed.merge(weather[["origin", "time_hour", "visib"]], on=["origin", "time_hour"])
    return joined.assign(fog=joined["visib"] < 3).groupby(["origin", "fog"])["dep_delay"].agg(["count", "mean"])
