"""Wrong: fetches the flights to the notebook and cuts them again; "the flights stay lazy"."""

import dask.dataframe as dd


def join_weather(flights, weather):
    hours = weather[["origin", "time_hour", "temp", "wind_speed", "visib"]].compute().assign(flag=1)
    joined = flights.compute().merge(hours, how="left", on=["origin", "time_hour"])
    joined["has_weather"] = joined.pop("flag").notna()
    return dd.from_pandas(joined, npartitions=flights.npartitions)


no_weather = {"flights": 1556, "after_the_end": 932}
