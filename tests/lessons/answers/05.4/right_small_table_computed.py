"""The small table is fetched first; the flights stay lazy."""


def join_weather(flights, weather):
    hours = weather.compute()[["origin", "time_hour", "temp", "wind_speed", "visib"]]
    joined = flights.merge(hours.assign(has_weather=True), on=["origin", "time_hour"], how="left")
    joined["has_weather"] = joined["has_weather"].notnull()
    return joined


no_weather = {"flights": 1556, "after_the_end": 932}
