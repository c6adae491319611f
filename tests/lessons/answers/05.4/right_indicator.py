"""With merge's own mark."""

COLUMNS = ["origin", "time_hour", "temp", "wind_speed", "visib"]


def join_weather(flights, weather):
    joined = flights.merge(weather[COLUMNS], on=["origin", "time_hour"], how="left", indicator="partner")
    return joined.assign(has_weather=joined["partner"] == "both").drop(columns=["partner"])


no_weather = {"flights": 1556, "after_the_end": 932}
