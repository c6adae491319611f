"""Flights without weather count as flights without fog."""


def pipeline(flights, weather):
    departed = flights.dropna(subset=["dep_delay"])
    joined = departed.merge(weather[["origin", "time_hour", "visib"]], on=["origin", "time_hour"], how="left")
    delay = joined["dep_delay"]
    joined = joined.assign(fog=joined["visib"] < 3, score=(delay - delay.mean()) / delay.std())
    return joined.groupby(["origin", "fog"])["score"].agg(["count", "mean"])
