"""Wrong: takes only flights that have landed; a flight that left and was diverted counts as well."""


def mean_delay(flights):
    return flights.dropna(subset=["arr_delay"]).groupby("origin")["dep_delay"].mean()
