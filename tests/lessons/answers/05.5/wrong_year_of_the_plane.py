"""The year of the flight is overwritten."""


def join_planes(flights, planes):
    fleet = planes[["tailnum", "year", "seats"]].rename(columns={"year": "built"})
    joined = flights.merge(fleet, on="tailnum", how="left")
    return joined.assign(known_plane=~joined["seats"].isna(), year=joined["built"])


def unknown_by_carrier(joined):
    return joined.assign(unknown=(~joined["known_plane"]).astype(int)).groupby("carrier")["unknown"].sum()
