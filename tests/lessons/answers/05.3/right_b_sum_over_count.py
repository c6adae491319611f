"""Right: lazy sums divided by lazy counts of what is there."""


def mean_delay(flights):
    groups = flights.groupby("origin")["dep_delay"]
    return groups.sum() / groups.count()
