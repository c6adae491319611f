"""Mean and deviation are still computed in the middle."""


def pipeline(flights, weather):
    departed = flights.dropna(subset=["dep_delay"])
    joined = departed.merge(weather[["origin", "time_hour", "visib"]], on=["origin", "time_hour"])
    delay = joined["dep_delay"]
    mean, deviation = delay.mean().compute(), delay.std().compute()
    joined = joined.assign(fog=joined["visib"] < 3, score=(delay - mean) / deviation)
    return joined.groupby(["origin", "fog"])["score"].agg(["count", "mean"])
