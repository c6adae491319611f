"""With names for the steps."""


def pipeline(flights, weather):
    departed = flights.dropna(subset=["dep_delay"])
    joined = departed.merge(weather[["origin", "time_hour", "visib"]], on=["origin", "time_hour"], how="inner")
    joined["fog"] = joined["visib"] < 3
    delay = joined["dep_delay"]
    joined["score"] = (delay - delay.mean()) / delay.std()
    return joined.groupby(["origin", "fog"])["score"].agg(["count", "mean"])
