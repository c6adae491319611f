"""Wrong: an airline without an unknown plane is not there; "for each airline (0 if there is none)"."""


def join_planes(flights, planes):
    fleet = planes[["tailnum", "year", "seats"]].rename(columns={"year": "built"}).assign(known_plane=1)
    joined = flights.merge(fleet, on="tailnum", how="left")
    return joined.assign(known_plane=joined["known_plane"].notnull())


def unknown_by_carrier(joined):
    return joined[~joined["known_plane"]].groupby("carrier").size()
