"""The weather keeps all its columns; those of the flights keep their names."""


def join_weather(flights, weather):
    marked = weather.assign(partner=weather["origin"])
    joined = flights.merge(marked, on=["origin", "time_hour"], how="left", suffixes=("", "_weather"))
    return joined.assign(has_weather=~joined["partner"].isna())


no_weather = {"flights": 1556, "after_the_end": 932}
