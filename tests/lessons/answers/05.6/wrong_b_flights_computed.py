"""Wrong: the flights are fetched and joined in the notebook; "the flights, lazily"."""


def join_airports(flights, airports):
    places = airports.compute()[["faa", "name", "lat", "lon"]].rename(columns={"faa": "dest", "name": "dest_name"})
    return flights.compute().merge(places, on="dest", how="left")


def unknown_destinations(joined):
    return joined[joined["dest_name"].isna()].groupby("dest").size()
