"""Right numbers, but apply moves all rows."""


def mean_delay(flights):
    groups = flights.groupby("origin")["dep_delay"]
    return groups.apply(lambda delays: delays.mean(), meta=("dep_delay", "float64"))
