"""Wrong: joins the airport of departure; asked is that "of its destination"."""


def join_airports(flights, airports):
    places = airports[["faa", "name", "lat", "lon"]].rename(columns={"faa": "origin", "name": "dest_name"})
    return flights.merge(places, on="origin", how="left")


def unknown_destinations(joined):
    return joined[joined["dest_name"].isna()].groupby("dest").size()
