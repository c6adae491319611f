"""left_on and right_on; value_counts."""


def join_airports(flights, airports):
    places = airports[["faa", "name", "lat", "lon"]].rename(columns={"name": "dest_name"})
    return flights.merge(places, left_on="dest", right_on="faa", how="left").drop(columns="faa")


def unknown_destinations(joined):
    return joined.loc[joined["dest_name"].isna(), "dest"].value_counts()
