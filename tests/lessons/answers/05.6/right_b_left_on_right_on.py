"""Right: left_on and right_on, the second key dropped; value_counts of the unknown ones."""


def join_airports(flights, airports):
    joined = flights.merge(airports[["faa", "name", "lat", "lon"]], how="left", left_on="dest", right_on="faa")
    return joined.drop(columns=["faa"]).rename(columns={"name": "dest_name"})


def unknown_destinations(joined):
    return joined["dest"][joined["dest_name"].isnull()].value_counts()
