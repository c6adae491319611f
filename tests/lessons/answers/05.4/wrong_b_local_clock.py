"""Wrong: joins by the local clock, whose hour comes twice on 3 November (flights double); "its airport and hour"."""


def join_weather(flights, weather):
    key = ["origin", "year", "month", "day", "hour"]
    hours = weather[key + ["temp", "wind_speed", "visib"]].assign(flag=1)
    joined = flights.merge(hours, how="left", on=key)
    return joined.assign(has_weather=~joined["flag"].isna()).drop(columns=["flag"])


no_weather = {"flights": 1556, "after_the_end": 932}
