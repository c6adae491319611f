"""Wrong: the mean only; "count and mean of the normalised delay"."""


def pipeline(flights, weather):
    hours = weather[["origin", "time_hour", "visib"]]
    table = flights.dropna(subset=["dep_delay"]).merge(hours, on=["origin", "time_hour"])
    table = table.assign(fog=table["visib"] < 3)
    score = (table["dep_delay"] - table["dep_delay"].mean()) / table["dep_delay"].std()
    return table.assign(score=score).groupby(["origin", "fog"])["score"].agg(["mean"])
