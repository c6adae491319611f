"""The result is computed at once."""


def mean_delay(flights):
    return flights.groupby("origin")["dep_delay"].mean().compute()
