"""Wrong: mean and deviation of all departed flights, also of those without weather; "the same result"."""


def pipeline(flights, weather):
    departed = flights.dropna(subset=["dep_delay"])
    score = (departed["dep_delay"] - departed["dep_delay"].mean()) / departed["dep_delay"].std()
    table = departed.assign(score=score).merge(weather[["origin", "time_hour", "visib"]], on=["origin", "time_hour"])
    table = table.assign(fog=table["visib"] < 3)
    return table.groupby(["origin", "fog"])["score"].agg(["count", "mean"])
