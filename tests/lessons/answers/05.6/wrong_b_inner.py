"""Wrong: an inner join; "every flight stays"."""


def join_airports(flights, airports):
    places = airports[["faa", "name", "lat", "lon"]].rename(columns={"faa": "dest", "name": "dest_name"})
    return flights.merge(places, on="dest")


def unknown_destinations(joined):
    return joined[joined["dest_name"].isna()].groupby("dest").size()
