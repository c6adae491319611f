"""Right: the group-by of pandas, written with getitem and agg."""


def mean_delay(flights):
    return flights[["origin", "dep_delay"]].groupby("origin").agg({"dep_delay": "mean"})["dep_delay"]
