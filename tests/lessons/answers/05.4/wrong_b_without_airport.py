"""Wrong: joins on the hour only and keeps one airport's weather; asked is that "of its airport and hour"."""


def join_weather(flights, weather):
    hours = weather[["time_hour", "temp", "wind_speed", "visib"]].drop_duplicates(subset=["time_hour"]).assign(flag=1)
    joined = flights.merge(hours, how="left", on="time_hour")
    return joined.assign(has_weather=~joined["flag"].isna()).drop(columns=["flag"])


no_weather = {"flights": 1556, "after_the_end": 932}
