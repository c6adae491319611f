"""The columns of the flights get other names."""


def join_weather(flights, weather):
    joined = flights.merge(weather.assign(has_weather=1), on=["origin", "time_hour"], how="left")
    return joined.assign(has_weather=~joined["has_weather"].isna())


no_weather = {"flights": 1556, "after_the_end": 932}
