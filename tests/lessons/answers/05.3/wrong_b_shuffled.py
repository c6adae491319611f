"""Wrong: brings the rows of each origin together by a shuffle; "no row needs to leave its worker"."""


def mean_delay(flights):
    together = flights[["origin", "dep_delay"]].shuffle("origin")
    return together.map_partitions(
        lambda part: part.groupby("origin")["dep_delay"].mean(), meta=("dep_delay", "float64")
    )
