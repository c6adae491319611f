"""A join on the index of the small table, and a plain dictionary made into a column."""

import pandas as pd


def join_airports(flights, airports):
    places = airports.rename(columns={"name": "dest_name"})[["faa", "dest_name", "lat", "lon"]]
    return flights.merge(places.rename(columns={"faa": "dest"}), how="left", on=["dest"])


def unknown_destinations(joined):
    lost = joined[["dest", "lat"]].compute()
    return pd.Series(lost[lost["lat"].isna()].groupby("dest").size().to_dict())
