"""Wrong: counts different tail numbers, not "the number of flights"."""


def join_planes(flights, planes):
    fleet = planes[["tailnum", "year", "seats"]].rename(columns={"year": "built"}).assign(known_plane=1)
    joined = flights.merge(fleet, on="tailnum", how="left")
    return joined.assign(known_plane=joined["known_plane"].notnull())


def unknown_by_carrier(joined):
    tails = joined["tailnum"].where(~joined["known_plane"])
    return joined.assign(tailnum=tails).groupby("carrier")["tailnum"].nunique()
