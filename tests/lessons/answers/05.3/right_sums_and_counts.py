"""Sums and counts, divided at the end."""


def mean_delay(flights):
    groups = flights.groupby("origin")["dep_delay"]
    return groups.sum() / groups.count()
