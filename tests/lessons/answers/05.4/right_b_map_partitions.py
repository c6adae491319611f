"""Right: the small table is computed once, each partition is merged by pandas with an indicator."""


def join_weather(flights, weather):
    hours = weather[["origin", "time_hour", "temp", "wind_speed", "visib"]].compute()

    def join(part, hours):
        joined = part.merge(hours, how="left", on=["origin", "time_hour"], indicator="has_weather")
        joined["has_weather"] = (joined["has_weather"] == "both").astype(bool)
        return joined

    return flights.map_partitions(join, hours)


no_weather = {"flights": 932 + 624, "after_the_end": 932}
