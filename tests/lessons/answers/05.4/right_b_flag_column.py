"""Right: a left merge with a flag in the weather, whose gaps are False."""


def join_weather(flights, weather):
    hours = weather[["origin", "time_hour", "temp", "wind_speed", "visib"]].assign(flag=1)
    joined = flights.merge(hours, how="left", on=["origin", "time_hour"])
    return joined.assign(has_weather=joined["flag"].notnull()).drop(columns="flag")


no_weather = {"flights": 1556, "after_the_end": 932}
