"""Wrong: counts by the airport of departure, not "by its code" of the destination."""


def join_airports(flights, airports):
    places = airports[["faa", "name", "lat", "lon"]].rename(columns={"faa": "dest", "name": "dest_name"})
    return flights.merge(places, on="dest", how="left")


def unknown_destinations(joined):
    return joined[joined["dest_name"].isna()].groupby("origin").size()
