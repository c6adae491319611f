"""Wrong: asks for the temperature; "a missing value is not a missing row"."""


def join_weather(flights, weather):
    hours = weather[["origin", "time_hour", "temp", "wind_speed", "visib"]]
    joined = flights.merge(hours, how="left", on=["origin", "time_hour"])
    return joined.assign(has_weather=~joined["temp"].isna())


no_weather = {"flights": 1556, "after_the_end": 932}
