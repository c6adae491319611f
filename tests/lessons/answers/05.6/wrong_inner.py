"""Flights to unknown airports are dropped."""


def join_airports(flights, airports):
    places = airports[["faa", "name", "lat", "lon"]].rename(columns={"faa": "dest", "name": "dest_name"})
    return flights.merge(places, on="dest")


def unknown_destinations(joined):
    return joined[joined["lat"].isna()].groupby("dest").size()
