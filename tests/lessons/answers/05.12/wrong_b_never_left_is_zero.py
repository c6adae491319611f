"""Wrong: flights that never left count with a delay of 0, the given pipeline drops them ("the same result")."""


def pipeline(flights, weather):
    hours = weather[["origin", "time_hour", "visib"]]
    table = flights.fillna({"dep_delay": 0}).merge(hours, on=["origin", "time_hour"])
    table = table.assign(fog=table["visib"] < 3)
    score = (table["dep_delay"] - table["dep_delay"].mean()) / table["dep_delay"].std()
    return table.assign(score=score).groupby(["origin", "fog"])["score"].agg(["count", "mean"])
