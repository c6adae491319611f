"""Wrong: a plane without a year counts as not known; "but the planes are in the table"."""


def join_planes(flights, planes):
    fleet = planes[["tailnum", "year", "seats"]].rename(columns={"year": "built"})
    joined = flights.merge(fleet, on="tailnum", how="left")
    return joined.assign(known_plane=joined["built"].notnull())


def unknown_by_carrier(joined):
    return (~joined["known_plane"]).astype("int64").groupby(joined["carrier"]).sum()
