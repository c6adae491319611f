"""Right: the small table gets the names of the answer, then one left merge; the report is lazy."""


def join_airports(flights, airports):
    places = airports[["faa", "name", "lat", "lon"]].rename(columns={"faa": "dest", "name": "dest_name"})
    return flights.merge(places, on="dest", how="left")


def unknown_destinations(joined):
    return joined[joined["dest_name"].isna()].groupby("dest").size()
