"""The mean is linear: normalise the few results instead of all rows."""


def pipeline(flights, weather):
    columns = ["origin", "time_hour", "dep_delay"]
    joined = flights[columns].dropna().merge(weather[["origin", "time_hour", "visib"]], on=["origin", "time_hour"])
    delay = joined["dep_delay"]
    groups = joined.assign(fog=joined["visib"] < 3).groupby(["origin", "fog"])["dep_delay"].agg(["count", "mean"])
    return groups.assign(mean=(groups["mean"] - delay.mean()) / delay.std())
