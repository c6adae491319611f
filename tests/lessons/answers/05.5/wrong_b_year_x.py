"""Wrong: the flight's year is called year_x; "every flight stays with its own `year`"."""


def join_planes(flights, planes):
    joined = flights.merge(planes[["tailnum", "year", "seats"]], on="tailnum", how="left")
    joined = joined.rename(columns={"year_y": "built"})
    return joined.assign(known_plane=joined["seats"].notnull())


def unknown_by_carrier(joined):
    return (~joined["known_plane"]).astype("int64").groupby(joined["carrier"]).sum()
