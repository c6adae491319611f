"""Wrong: the name stays `name`, and dest_name is the code, not the name."""


def join_airports(flights, airports):
    places = airports[["faa", "name", "lat", "lon"]].assign(dest=airports["faa"])
    joined = flights.merge(places, on="dest", how="left")
    return joined.rename(columns={"faa": "dest_name"}).drop(columns=["name"])


def unknown_destinations(joined):
    return joined[joined["dest_name"].isna()].groupby("dest").size()
