"""Wrong: flights without a tailnum are dropped before the join; "every flight stays"."""


def join_planes(flights, planes):
    fleet = planes[["tailnum", "year", "seats"]].rename(columns={"year": "built"}).assign(known_plane=1)
    joined = flights.dropna(subset=["tailnum"]).merge(fleet, on="tailnum", how="left")
    return joined.assign(known_plane=joined["known_plane"].notnull())


def unknown_by_carrier(joined):
    return (~joined["known_plane"]).astype("int64").groupby(joined["carrier"]).sum()
