"""Wrong: an inner join; "every flight stays"."""


def join_weather(flights, weather):
    hours = weather[["origin", "time_hour", "temp", "wind_speed", "visib"]]
    return flights.merge(hours, on=["origin", "time_hour"]).assign(has_weather=True)


no_weather = {"flights": 1556, "after_the_end": 932}
