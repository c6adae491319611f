"""Wrong: an inner join; "every flight stays"."""


def join_planes(flights, planes):
    fleet = planes[["tailnum", "year", "seats"]].rename(columns={"year": "built"})
    return flights.merge(fleet, on="tailnum", how="inner").assign(known_plane=True)


def unknown_by_carrier(joined):
    return (~joined["known_plane"]).astype("int64").groupby(joined["carrier"]).sum()
