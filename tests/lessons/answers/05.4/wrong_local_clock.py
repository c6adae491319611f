"""The key is the clock that jumps."""

KEY = ["origin", "year", "month", "day", "hour"]


def join_weather(flights, weather):
    hours = weather[[*KEY, "temp", "wind_speed", "visib"]].assign(has_weather=1)
    joined = flights.merge(hours, on=KEY, how="left")
    return joined.assign(has_weather=~joined["has_weather"].isna())


no_weather = {"flights": 1556, "after_the_end": 932}
