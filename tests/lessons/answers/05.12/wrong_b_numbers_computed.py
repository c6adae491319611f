"""Wrong: computes mean and deviation on the way; "nothing is collected on the way"."""


def pipeline(flights, weather):
    hours = weather[["origin", "time_hour", "visib"]]
    table = flights.dropna(subset=["dep_delay"]).merge(hours, on=["origin", "time_hour"])
    table = table.assign(fog=table["visib"] < 3)
    mean, deviation = table["dep_delay"].mean().compute(), table["dep_delay"].std().compute()
    table = table.assign(score=(table["dep_delay"] - mean) / deviation)
    return table.groupby(["origin", "fog"])["score"].agg(["count", "mean"])
