"""Right: known_plane by isin before a merge with suffixes; carriers with none are reindexed to 0."""


def join_planes(flights, planes):
    tails = planes["tailnum"].compute().tolist()
    flights = flights.assign(known_plane=flights["tailnum"].isin(tails))
    joined = flights.merge(planes[["tailnum", "year", "seats"]], how="left", on="tailnum", suffixes=("", "_of_plane"))
    return joined.rename(columns={"year_of_plane": "built"})


def unknown_by_carrier(joined):
    all_carriers = joined["carrier"].unique().compute()
    unknown = joined.loc[~joined["known_plane"], "carrier"].value_counts().compute()
    return unknown.reindex(sorted(all_carriers), fill_value=0)
