"""Wrong: the share of each airline's flights, not their number."""


def join_planes(flights, planes):
    fleet = planes[["tailnum", "year", "seats"]].rename(columns={"year": "built"}).assign(known_plane=1)
    joined = flights.merge(fleet, on="tailnum", how="left")
    return joined.assign(known_plane=joined["known_plane"].notnull())


def unknown_by_carrier(joined):
    return (~joined["known_plane"]).astype("float64").groupby(joined["carrier"]).mean()
