"""Flights of unknown planes are lost."""


def join_planes(flights, planes):
    fleet = planes[["tailnum", "year", "seats"]].rename(columns={"year": "built"})
    return flights.merge(fleet, on="tailnum").assign(known_plane=True)


def unknown_by_carrier(joined):
    return joined.assign(unknown=(~joined["known_plane"]).astype(int)).groupby("carrier")["unknown"].sum()
