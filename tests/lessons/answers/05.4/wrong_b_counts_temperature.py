"""Wrong: no_weather counts the flights without a temperature, 1,573 ("how many flights have no weather")."""


def join_weather(flights, weather):
    hours = weather[["origin", "time_hour", "temp", "wind_speed", "visib"]].assign(flag=1)
    joined = flights.merge(hours, how="left", on=["origin", "time_hour"])
    return joined.assign(has_weather=~joined["flag"].isna()).drop(columns="flag")


no_weather = {"flights": 1573, "after_the_end": 932}
