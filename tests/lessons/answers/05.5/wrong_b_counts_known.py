"""Wrong: counts the flights whose plane is known."""


def join_planes(flights, planes):
    fleet = planes[["tailnum", "year", "seats"]].rename(columns={"year": "built"}).assign(known_plane=1)
    joined = flights.merge(fleet, on="tailnum", how="left")
    return joined.assign(known_plane=joined["known_plane"].notnull())


def unknown_by_carrier(joined):
    return joined.groupby("carrier")["known_plane"].sum()
