"""Wrong: a row of the weather in which something is missing is dropped first, so its flights have none ("a missing value is not a missing row")."""


def join_weather(flights, weather):
    hours = weather[["origin", "time_hour", "temp", "wind_speed", "visib"]].dropna().assign(has_weather=True)
    joined = flights.merge(hours, how="left", on=["origin", "time_hour"])
    return joined.assign(has_weather=joined["has_weather"].notnull())


no_weather = {"flights": 1556, "after_the_end": 932}
