"""Wrong: the mean of the partitions' means, which are not equally long ("the mean of dep_delay for each origin")."""


def mean_delay(flights):
    means = flights.map_partitions(lambda part: part.groupby("origin", as_index=False)["dep_delay"].mean())
    return means.groupby("origin")["dep_delay"].mean()
