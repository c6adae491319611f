"""Wrong: count() of the missing names is 0 for each destination, it counts what is there."""


def join_airports(flights, airports):
    places = airports[["faa", "name", "lat", "lon"]].rename(columns={"faa": "dest", "name": "dest_name"})
    return flights.merge(places, on="dest", how="left")


def unknown_destinations(joined):
    return joined[joined["dest_name"].isna()].groupby("dest")["dest_name"].count()
