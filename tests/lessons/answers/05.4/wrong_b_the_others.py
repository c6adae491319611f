"""Wrong: after_the_end is the number of the gaps in the middle of the year, not of those "after the last hour of the weather table"."""


def join_weather(flights, weather):
    hours = weather[["origin", "time_hour", "temp", "wind_speed", "visib"]].assign(flag=1)
    joined = flights.merge(hours, how="left", on=["origin", "time_hour"])
    return joined.assign(has_weather=~joined["flag"].isna()).drop(columns="flag")


no_weather = {"flights": 1556, "after_the_end": 624}
