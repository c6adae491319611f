"""Wrong: one number for all; asked is "the number of flights to each destination"."""


def join_airports(flights, airports):
    places = airports[["faa", "name", "lat", "lon"]].rename(columns={"faa": "dest", "name": "dest_name"})
    return flights.merge(places, on="dest", how="left")


def unknown_destinations(joined):
    return joined["dest_name"].isna().sum()
