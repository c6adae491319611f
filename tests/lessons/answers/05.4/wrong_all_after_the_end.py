"""Every gap is explained by the end of the table."""


def join_weather(flights, weather):
    hours = weather[["origin", "time_hour", "temp", "wind_speed", "visib"]].assign(has_weather=1)
    joined = flights.merge(hours, on=["origin", "time_hour"], how="left")
    return joined.assign(has_weather=~joined["has_weather"].isna())


no_weather = {"flights": 1556, "after_the_end": 1556}
