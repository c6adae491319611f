"""year becomes year_x."""


def join_planes(flights, planes):
    joined = flights.merge(planes[["tailnum", "year", "seats"]], on="tailnum", how="left")
    return joined.rename(columns={"year_y": "built"}).assign(known_plane=lambda table: ~table["seats"].isna())


def unknown_by_carrier(joined):
    return joined.assign(unknown=(~joined["known_plane"]).astype(int)).groupby("carrier")["unknown"].sum()
