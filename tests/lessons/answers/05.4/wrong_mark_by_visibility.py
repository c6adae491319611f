"""A missing visibility is taken for a missing hour."""


def join_weather(flights, weather):
    hours = weather[["origin", "time_hour", "temp", "wind_speed", "visib"]]
    joined = flights.merge(hours, on=["origin", "time_hour"], how="left")
    return joined.assign(has_weather=~joined["visib"].isna())


no_weather = {"flights": 1573, "after_the_end": 932}
