"""Wrong: has_weather is True or missing, never False ("True or False")."""


def join_weather(flights, weather):
    hours = weather[["origin", "time_hour", "temp", "wind_speed", "visib"]].assign(has_weather=True)
    return flights.merge(hours, how="left", on=["origin", "time_hour"])


no_weather = {"flights": 1556, "after_the_end": 932}
