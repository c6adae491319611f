"""A plane without a year is taken for unknown."""


def join_planes(flights, planes):
    fleet = planes[["tailnum", "year", "seats"]].rename(columns={"year": "built"})
    joined = flights.merge(fleet, on="tailnum", how="left")
    return joined.assign(known_plane=~joined["built"].isna())


def unknown_by_carrier(joined):
    return joined.assign(unknown=(~joined["known_plane"]).astype(int)).groupby("carrier")["unknown"].sum()
