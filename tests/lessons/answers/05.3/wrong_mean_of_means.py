"""The mean of the partitions' means."""


def mean_delay(flights):
    means = flights.map_partitions(lambda part: part.groupby("origin")[["dep_delay"]].mean().reset_index())
    return means.groupby("origin")["dep_delay"].mean()
