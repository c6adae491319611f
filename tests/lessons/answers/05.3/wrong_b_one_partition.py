"""Wrong: collects all rows in one partition first; "no row needs to leave its worker"."""


def mean_delay(flights):
    one = flights[["origin", "dep_delay"]].repartition(npartitions=1)
    return one.map_partitions(lambda part: part.groupby("origin")["dep_delay"].mean(), meta=("dep_delay", "float64"))
