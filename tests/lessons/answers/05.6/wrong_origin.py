"""The place of the origin, not of the destination."""


def join_airports(flights, airports):
    places = airports[["faa", "name", "lat", "lon"]].rename(columns={"faa": "origin", "name": "dest_name"})
    return flights.merge(places, on="origin", how="left")


def unknown_destinations(joined):
    return joined[joined["lat"].isna()].groupby("dest").size()
