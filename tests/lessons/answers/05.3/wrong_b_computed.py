"""Wrong: computes; "it returns a lazy column"."""


def mean_delay(flights):
    return flights.groupby("origin")["dep_delay"].mean().compute()
