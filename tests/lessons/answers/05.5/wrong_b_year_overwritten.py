"""Wrong: year is that of the plane after the join, not the flight's "own"."""


def join_planes(flights, planes):
    fleet = planes[["tailnum", "year", "seats"]].assign(flag=1)
    joined = flights.drop(columns=["year"]).merge(fleet, on="tailnum", how="left")
    joined = joined.assign(built=joined["year"], known_plane=joined["flag"].notnull())
    return joined.drop(columns=["flag"])


def unknown_by_carrier(joined):
    return (~joined["known_plane"]).astype("int64").groupby(joined["carrier"]).sum()
