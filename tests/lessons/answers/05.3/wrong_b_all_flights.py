"""Wrong: divides by the number of all flights, also of those that never left."""


def mean_delay(flights):
    groups = flights.groupby("origin")
    return groups["dep_delay"].sum() / groups.size()
