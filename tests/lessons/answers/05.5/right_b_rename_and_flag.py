"""Right: the year of the plane is renamed before a left merge, a flag says what is known."""


def join_planes(flights, planes):
    fleet = planes[["tailnum", "year", "seats"]].rename(columns={"year": "built"}).assign(known_plane=1.0)
    joined = flights.merge(fleet, on="tailnum", how="left")
    return joined.assign(known_plane=joined["known_plane"].fillna(0.0).astype(bool))


def unknown_by_carrier(joined):
    return (~joined["known_plane"]).astype("int64").groupby(joined["carrier"]).sum()
