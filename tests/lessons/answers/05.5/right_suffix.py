"""A suffix for the planes only; seats are never missing, so they can be the mark."""


def join_planes(flights, planes):
    joined = flights.merge(planes[["tailnum", "year", "seats"]], on="tailnum", how="left", suffixes=("", "_built"))
    return joined.rename(columns={"year_built": "built"}).assign(known_plane=lambda table: ~table["seats"].isna())


def unknown_by_carrier(joined):
    groups = joined.groupby("carrier")["known_plane"]
    return groups.count() - groups.sum()
