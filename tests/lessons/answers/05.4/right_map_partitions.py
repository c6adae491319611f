"""pandas merge in each partition, weather computed."""


def join(part, w):
    out = part.merge(w, on=["origin", "time_hour"], how="left")
    out["has_weather"] = out["has_weather"].notna()
    return out


def join_weather(flights, weather):
    w = weather[["origin", "time_hour", "temp", "wind_speed", "visib"]].compute().assign(has_weather=1.0)
    return flights.map_partitions(join, w)


no_weather = {"flights": 1556, "after_the_end": 932}
