"""Wrong: flights that left early are dropped; only "flights that never left do not count"."""


def mean_delay(flights):
    return flights[flights["dep_delay"] > 0].groupby("origin")["dep_delay"].mean()
