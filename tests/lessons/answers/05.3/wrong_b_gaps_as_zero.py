"""Wrong: a missing delay counts as 0; "flights that never left do not count"."""


def mean_delay(flights):
    return flights.assign(dep_delay=flights["dep_delay"].fillna(0)).groupby("origin")["dep_delay"].mean()
