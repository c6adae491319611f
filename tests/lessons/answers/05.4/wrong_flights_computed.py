"""All is fetched, and made lazy again."""

import dask.dataframe as dd


def join_weather(flights, weather):
    hours = weather[["origin", "time_hour", "temp", "wind_speed", "visib"]].assign(has_weather=1)
    joined = flights.compute().merge(hours.compute(), on=["origin", "time_hour"], how="left")
    return dd.from_pandas(joined.assign(has_weather=joined["has_weather"].notna()), npartitions=2)


no_weather = {"flights": 1556, "after_the_end": 932}
