"""With merge's own mark; the numbers are counted in the notebook."""


def join_planes(flights, planes):
    fleet = planes[["tailnum", "year", "seats"]].rename(columns={"year": "built"})
    joined = flights.merge(fleet, on="tailnum", how="left", indicator=True)
    return joined.assign(known_plane=joined["_merge"] == "both").drop(columns="_merge")


def unknown_by_carrier(joined):
    table = joined[["carrier", "known_plane"]].compute()
    return (~table["known_plane"]).groupby(table["carrier"]).sum()
